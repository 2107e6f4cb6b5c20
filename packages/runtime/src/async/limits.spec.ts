import { describe, expect, it, vi } from "vitest";

import { manualClock } from "../clock.ts";
import { every, orAborted, timeoutSignal, untilCalled, within } from "./limits.ts";

const clock = () => manualClock("2026-03-01T10:00:00Z");

describe("a wait for a call", () => {
  it("is over with the call, with its time, or with the signal", async () => {
    const time = clock();
    const ending = new AbortController();
    const calls: (() => void)[] = [];
    const begin = () => untilCalled(10, ending.signal, (call) => calls.push(call), time);
    const called = begin();
    calls[0]?.();
    await called;
    const late = begin();
    time.advance(10);
    await late;
    const ended = begin();
    ending.abort();
    await ended;
    await begin();
    expect(calls).toHaveLength(3);
  });

  it("leaves nothing behind that a later call, or time, could find", async () => {
    const time = clock();
    const signal = new AbortController().signal;
    let call = (): void => undefined;
    const waiting = untilCalled(10, signal, (given) => (call = given), time);
    call();
    await waiting;
    call();
    let isNext = false;
    time.after(20, () => (isNext = true));
    time.advance(20);
    expect(isNext).toBe(true);
  });
});

describe("a limit", () => {
  it("returns the work's answer in time, and leaves no timer", async () => {
    const time = clock();
    expect(await within(10, Promise.resolve("done"), () => "late", time)).toBe("done");
    let called = false;
    time.after(20, () => (called = true));
    time.advance(20);
    expect(called).toBe(true);
  });

  it("returns the given failure", async () => {
    await expect(within(10, Promise.reject(new Error("no")), () => "late", clock())).rejects.toThrow("no");
  });

  it("returns the given answer when the time is over", async () => {
    const time = clock();
    const waiting = within(10, new Promise(() => undefined), () => "late", time);
    time.advance(10);
    expect(await waiting).toBe("late");
  });

  it("throws the given error, and ignores a later failure of the work", async () => {
    const time = clock();
    const work = Promise.withResolvers<never>();
    const late = (): never => {
      throw new Error("too late");
    };
    const waiting = within(10, work.promise, late, time);
    time.advance(10);
    await expect(waiting).rejects.toThrow("too late");
    work.reject(new Error("unheard"));
  });
});

describe("a wait that a signal ends", () => {
  it("ends with the awaited work, or with the signal", async () => {
    const ending = new AbortController();
    await orAborted(Promise.resolve(), ending.signal);
    const waiting = orAborted(new Promise(() => undefined), ending.signal);
    ending.abort();
    await waiting;
    await orAborted(new Promise(() => undefined), ending.signal);
  });

  it("fails as the awaited work does, and leaves no listener at the signal", async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, "removeEventListener");
    await expect(orAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    expect(remove).toHaveBeenCalledOnce();
  });
});

it("calls every so often until it is ended", () => {
  const time = clock();
  let calls = 0;
  const end = every(10, () => (calls += 1), time);
  time.advance(35);
  expect(calls).toBe(3);
  end();
  time.advance(100);
  expect(calls).toBe(3);
});

it("can be ended from within a call", () => {
  const time = clock();
  let calls = 0;
  const end = every(
    10,
    () => {
      calls += 1;
      if (calls === 2) end();
    },
    time,
  );
  time.advance(100);
  expect(calls).toBe(2);
});

it("aborts a signal after a time", async () => {
  const signal = timeoutSignal(1);
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});
