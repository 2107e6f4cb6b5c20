import { yieldToOthers } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { createLocalLeases, type LeaseRoom } from "../leases/index.ts";
import { failedAttempt } from "./work-engine.port.ts";
import { minuteMs, openWork } from "./work-engine.fixture.ts";
import type { EffectEnd } from "./work-kind.ts";

const failing = (): Promise<EffectEnd> => Promise.resolve({ outcome: "failed", reason: "No route" });
const counts = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe("a request and the rounds at the same key", () => {
  const a = { kind: "letter", key: "a" };
  const context = { correlationId: "correlation-1", actor: "account:7" };

  /** Opens an engine whose first effect hangs until the test ends it. */
  async function hangingWork(parts: { readonly isTimeTrusted?: () => boolean } = {}) {
    const hanging = Promise.withResolvers<EffectEnd>();
    const finished: string[] = [];
    const work = await openWork({
      ...parts,
      next: (key) => (finished.includes(key) ? "done" : { do: { type: "send" } }),
      async send(key) {
        const end = key === "a" ? await hanging.promise : ({ outcome: "done", step: "sent" } as const);
        if (end.outcome === "done") finished.push(key);
        return end;
      },
    });
    await work.begin("a", 7);
    const attending = work.engine.attend(a);
    await expect.poll(() => work.sent).toEqual(["a"]);
    return { ...work, attending, hanging };
  }

  it("count each attempt: a round that waited for the request does not repeat its failure", async () => {
    const { engine, attending, hanging, sent, failures } = await hangingWork();
    const round = engine.runDue();
    // The round comes to the key, and waits.
    for (let turn = 0; turn < 20; turn += 1) await yieldToOthers();
    hanging.resolve(await failing());
    expect(await attending).toMatchObject({ end: "failed", attempts: 1 });
    expect(await round).toEqual(new Map());
    expect(sent).toEqual(["a"]);
    expect(await failures()).toMatchObject([{ key: "a", attempts: 1 }]);
  });

  it("do not wait for each other in the rounds: the account's other keys have their turns", async () => {
    const { engine, attending, begin, clock, hanging, sent } = await hangingWork();
    await begin("b", 7);
    const stopping = new AbortController();
    const running = engine.run(stopping.signal);
    await expect
      .poll(() => {
        clock.advance(1_000);
        return sent;
      })
      .toEqual(["a", "b"]);
    hanging.resolve({ outcome: "done", step: "sent" });
    await attending;
    stopping.abort();
    await running;
  });

  it("write down no failed attempt while the time is not trusted: the pause would end at a wrong time", async () => {
    let isTrusted = true;
    const { attending, hanging, failures } = await hangingWork({ isTimeTrusted: () => isTrusted });
    isTrusted = false;
    hanging.resolve(await failing());
    expect(await attending).toMatchObject({ end: "failed" });
    expect(await failures()).toEqual([]);
  });

  it("leave the key due if a failed attempt cannot be recorded", async () => {
    const { attending, hanging, loseFailures } = await hangingWork();
    await loseFailures();
    hanging.resolve(await failing());
    expect(await attending).toEqual({ steps: [], end: "due" });
  });

  it("answer the waiting request after its attempts, and the rounds continue counting", async () => {
    const { attempts, begin, clock, engine, failures } = await openWork({
      next: () => ({ do: { type: "send" } }),
      send: failing,
      attemptsInSight: 3,
    });
    await begin("a");
    const attending = engine.attend(a, { begin: () => Promise.resolve({ context }) });
    for (const count of [1, 2, 3]) {
      await expect
        .poll(() => {
          if (attempts.length < count) clock.advance(minuteMs);
          return attempts;
        })
        .toHaveLength(count);
      await expect.poll(failures).toMatchObject([{ attempts: count }]);
    }
    expect(await attending).toMatchObject({ end: "failed", attempts: 3, reason: "No route" });
    clock.advance(60 * minuteMs);
    expect(await engine.runDue()).toEqual(counts({ [failedAttempt]: 1 }));
    expect(attempts).toEqual([
      { number: 1, isUncertain: false, context },
      { number: 2, isUncertain: true, context: undefined },
      { number: 3, isUncertain: true, context: undefined },
      { number: 4, isUncertain: true, context: undefined },
    ]);
  });

  it("begin nothing if there is nothing to begin, and pass on errors of the beginning", async () => {
    const { engine, sent } = await openWork({ next: () => ({ do: { type: "send" } }) });
    expect(await engine.attend(a, { begin: () => Promise.resolve(undefined) })).toMatchObject({ end: "due" });
    const begin = () => Promise.reject(new Error("The store is busy"));
    await expect(engine.attend(a, { begin })).rejects.toThrow("The store is busy");
    expect(sent).toEqual([]);
  });

  it("of two processes one works on the key; the other waits up to its limit, then leaves the key", async () => {
    const hanging = Promise.withResolvers<undefined>();
    const { clock, open, sent } = await openWork({
      next: () => (sent.length > 1 ? "done" : { do: { type: "send" } }),
      async send() {
        await hanging.promise;
        return { outcome: "done", step: "sent", againAfterMs: minuteMs };
      },
      isDesiredState: true,
    });
    const room: LeaseRoom = new Map();
    const [one, other] = [await open(createLocalLeases({ room })), await open(createLocalLeases({ room }))];
    const first = one.attend(a);
    await expect.poll(() => sent).toEqual(["a"]);
    expect(await other.attend(a, { limitMs: 0 })).toEqual({ steps: [], end: "due" });
    const late = other.attend(a, { limitMs: minuteMs });
    hanging.resolve(undefined);
    expect(await first).toMatchObject({ steps: ["sent"] });
    await expect.poll(() => (clock.advance(100), sent)).toEqual(["a", "a"]);
    expect(await late).toMatchObject({ steps: ["sent"] });
    expect(room).toEqual(new Map());
  });
});
