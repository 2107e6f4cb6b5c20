import { beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../clock.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

let clock: ManualClock;
let breaker: CircuitBreaker;

beforeEach(() => {
  clock = manualClock("2026-03-01T10:00:00Z");
  breaker = new CircuitBreaker({ subjects: 3, silentMs: 1_000, pauseMs: 500 }, clock);
});

/** Makes calls at once, all unanswered a second later. */
function silentAbout(...subjects: readonly string[]): void {
  const passes = subjects.map((subject) => breaker.enter(subject));
  clock.advance(1_000);
  for (const pass of passes) pass?.unanswered();
}

describe("a circuit breaker", () => {
  it("opens when several subjects got no answer for some time", () => {
    silentAbout("a", "b");
    expect(breaker.state).toBe("closed");
    silentAbout("c");
    expect(breaker.state).toBe("open");
    expect(breaker.enter("d")).toBeUndefined();
  });

  it("stays closed for failures of one subject, however often", () => {
    silentAbout(...Array.from({ length: 100 }, () => "a"));
    expect(breaker.state).toBe("closed");
  });

  it("stays closed for a burst of failures that is shorter than the silence", () => {
    for (let subject = 0; subject < 100; subject += 1) breaker.enter(String(subject))?.unanswered();
    clock.advance(999);
    breaker.enter("another")?.unanswered();
    expect(breaker.state).toBe("closed");
    clock.advance(1);
    breaker.enter("another")?.unanswered();
    expect(breaker.state).toBe("open");
  });

  it("starts counting again after any answer", () => {
    silentAbout("a", "b");
    breaker.enter("c")?.answered();
    silentAbout("d", "e");
    expect(breaker.state).toBe("closed");
    silentAbout("f");
    expect(breaker.state).toBe("open");
  });

  it("stays closed if many calls time out together while others are answered", () => {
    const burst = Array.from({ length: 20 }, (_, at) => breaker.enter(`silent-${String(at)}`));
    clock.advance(980);
    breaker.enter("another")?.answered();
    clock.advance(20);
    for (const pass of burst) pass?.unanswered();
    expect(breaker.state).toBe("closed");
    clock.advance(980);
    breaker.enter("silent-20")?.unanswered();
    expect(breaker.state).toBe("open");
  });

  it("allows one probe after the pause, and closes when it is answered", () => {
    silentAbout("a", "b", "c");
    clock.advance(499);
    expect(breaker.enter("d")).toBeUndefined();
    clock.advance(1);
    expect(breaker.state).toBe("half-open");
    const trial = breaker.enter("d");
    expect(breaker.enter("e")).toBeUndefined();
    expect(breaker.state).toBe("half-open");
    trial?.answered();
    expect(breaker.state).toBe("closed");
    expect(breaker.enter("e")).toBeDefined();
  });

  it("opens for another pause when the probe is not answered, and allows another if it was not made", () => {
    silentAbout("a", "b", "c");
    clock.advance(500);
    breaker.enter("d")?.unanswered();
    expect(breaker.state).toBe("open");
    clock.advance(500);
    breaker.enter("e")?.withdrawn();
    expect(breaker.enter("f")).toBeDefined();
  });

  it("always allows questions, and closes at the first answer to one", () => {
    silentAbout("a", "b", "c");
    breaker.enter("a", true)?.unanswered();
    expect(breaker.enter("d")).toBeUndefined();
    breaker.enter("a", true)?.answered();
    expect(breaker.state).toBe("closed");
  });

  it("is not opened again by a trial from before another's answer", () => {
    silentAbout("a", "b", "c");
    clock.advance(500);
    const trial = breaker.enter("d");
    breaker.enter("a", true)?.answered();
    trial?.unanswered();
    expect(breaker.state).toBe("closed");
  });
});
