import { expect, it } from "vitest";

import { failedAttempt } from "./work-engine.port.ts";
import { minuteMs, openWork, start } from "./work-engine.fixture.ts";
import type { EffectEnd } from "./work-kind.ts";

const failing = (): Promise<EffectEnd> => Promise.resolve({ outcome: "failed", reason: "No route" });
const counts = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

it("takes steps until nothing is due, and checks again at the due time", async () => {
  let left = 2;
  const { engine, begin, clock, sent } = await openWork({
    next: () => {
      left -= 1;
      return left >= 0 ? { do: { type: "send" } } : { wait: "2026-03-01T11:00:00.000000Z" };
    },
  });
  await begin("a");
  expect(await engine.runDue()).toEqual(counts({ sent: 2 }));
  expect(await engine.runDue()).toEqual(new Map());
  left = 1;
  clock.advance(59 * minuteMs);
  expect(await engine.runDue()).toEqual(new Map());
  clock.advance(minuteMs);
  expect(await engine.runDue()).toEqual(counts({ sent: 1 }));
  expect(sent).toEqual(["a", "a", "a"]);
});

it("makes an attempt that failed again after growing pauses, up to the longest", async () => {
  const { engine, failures, begin, clock, sent } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: failing,
  });
  await begin("a");
  for (let minute = 0; minute < 10 * 60; minute += 1) {
    await engine.runDue();
    clock.advance(minuteMs);
  }
  // Pauses of up to 1, 2, 4, 8, 16, 32 and then 60 minutes, each at least half as long.
  expect(sent.length).toBeGreaterThanOrEqual(14);
  expect(sent.length).toBeLessThanOrEqual(27);
  expect(await failures()).toMatchObject([
    { key: "a", effect: "send", reason: "No route", attempts: sent.length, failing_since: start },
  ]);
});

it("restores failed attempts and their pause after a restart and a rebuild of the read models", async () => {
  const { open, engine, failures, begin, clock, sent } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: failing,
  });
  await begin("a");
  await engine.runDue();
  clock.advance(10_000);
  // A rebuild reads the old event again.
  await begin("a", null, start);
  const restarted = await open();
  expect(await restarted.runDue()).toEqual(new Map());
  expect(sent).toHaveLength(1);
  clock.advance(minuteMs);
  expect(await restarted.runDue()).toEqual(counts({ [failedAttempt]: 1 }));
  expect(await failures()).toMatchObject([{ attempts: 2, failing_since: start }]);
});

it("tries at once after a change of the stream, and deletes the failure after a success", async () => {
  let fails = true;
  let isSent = false;
  const { engine, failures, begin, change, clock } = await openWork({
    next: () => (isSent ? "done" : { do: { type: "send" } }),
    send: () => {
      if (fails) return failing();
      isSent = true;
      return Promise.resolve({ outcome: "done", step: "sent" });
    },
  });
  await begin("a");
  await engine.runDue();
  fails = false;
  clock.advance(1_000);
  expect(await engine.runDue()).toEqual(new Map());
  await change("a");
  expect(await engine.runDue()).toEqual(counts({ sent: 1 }));
  expect(await failures()).toEqual([]);
});

it("works again on a key that changed while it was worked on", async () => {
  const work = await openWork({
    next: () => (work.sent.length < 2 ? { do: { type: "send" } } : "done"),
    send: async () => {
      if (work.sent.length === 1) await work.change("a");
      return { outcome: "done", step: "sent", againAfterMs: 0 };
    },
  });
  await work.begin("a");
  expect(await work.engine.runDue()).toEqual(counts({ sent: 1 }));
  expect(await work.engine.runDue()).toEqual(counts({ sent: 1 }));
});

it("does one thing at a time per account, and delays no other account", async () => {
  const hanging = Promise.withResolvers<undefined>();
  const finished: string[] = [];
  const { engine, begin } = await openWork({
    next: (key) => (finished.includes(key) ? "done" : { do: { type: "send" } }),
    send: async (key) => {
      if (key.startsWith("slow")) await hanging.promise;
      finished.push(key);
      return { outcome: "done", step: "sent" };
    },
  });
  for (let count = 0; count < 40; count += 1) await begin(`slow-${String(count).padStart(2, "0")}`, 7);
  await begin("other", 8);
  const round = engine.runDue();
  await expect.poll(() => finished).toEqual(["other"]);
  hanging.resolve(undefined);
  expect(await round).toEqual(counts({ sent: 41 }));
  expect(finished.slice(1)).toEqual(finished.slice(1).toSorted());
});

it("does nothing while the time is not trusted", async () => {
  let isTrusted = false;
  const { engine, begin } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: () => Promise.resolve({ outcome: "done", step: "sent", againAfterMs: 0 }),
    isTimeTrusted: () => isTrusted,
  });
  await begin("a");
  expect(await engine.runDue()).toEqual(new Map());
  isTrusted = true;
  expect(await engine.runDue()).toEqual(counts({ sent: 1 }));
});

it("opens a staff ticket about stopped work, and tries again when its stream changes", async () => {
  const { engine, begin, change, clock, tickets } = await openWork({
    next: () => ({ stopped: "It is too heavy" }),
  });
  await begin("a");
  await engine.runDue();
  clock.advance(1_000 * minuteMs);
  await engine.runDue();
  expect(tickets).toEqual(["a: It is too heavy"]);
  await change("a");
  await engine.runDue();
  expect(tickets).toHaveLength(2);
});

it("checks keys that wait for money in each round", async () => {
  let hasMoney = false;
  const { engine, begin, sent } = await openWork({
    next: () => {
      if (sent.length > 0) return "done";
      return hasMoney ? { do: { type: "send" } } : { wait: "2027-01-01T00:00:00.000000Z", awaitsFunds: true };
    },
  });
  await begin("a");
  await engine.runDue();
  expect(await engine.runDue()).toEqual(new Map());
  hasMoney = true;
  expect(await engine.runDue()).toEqual(counts({ sent: 1 }));
});

it("checks longer waiting keys once a day, because settings may have changed", async () => {
  let looks = 0;
  const { engine, begin, clock } = await openWork({
    next: () => {
      looks += 1;
      return { wait: "2030-01-01T00:00:00.000000Z" };
    },
  });
  await begin("a");
  await engine.runDue();
  clock.advance(24 * 60 * minuteMs);
  await engine.runDue();
  expect(looks).toBe(2);
});

it("works for a request at once, and leaves failed work to the next round", async () => {
  const { engine, begin, clock, sent } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: failing,
  });
  await begin("a");
  expect(await engine.attend({ kind: "letter", key: "a" })).toMatchObject({
    end: "failed",
    reason: "No route",
  });
  expect(await engine.runDue()).toEqual(new Map());
  clock.advance(minuteMs);
  expect(await engine.runDue()).toEqual(counts({ [failedAttempt]: 1 }));
  expect(sent).toHaveLength(2);
});

it("opens a staff ticket about a key that failed ten times in a row", async () => {
  const { engine, begin, clock, tickets, sent } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: failing,
  });
  await begin("a");
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    await engine.runDue();
    clock.advance(60 * minuteMs);
  }
  expect([sent.length, tickets]).toEqual([9, []]);
  await engine.runDue();
  expect(tickets).toEqual(["a fails: No route"]);
});

it("works again on a key that was made due during the work", async () => {
  const work = await openWork({
    next: () => (work.sent.length < 2 ? { do: { type: "send" } } : "done"),
    send: async () => {
      if (work.sent.length === 1) {
        work.clock.advance(1_000);
        await work.engine.wake({ kind: "letter", key: "a" });
      }
      return { outcome: "done", step: "sent", againAfterMs: 0 };
    },
  });
  await work.begin("a");
  await work.engine.runDue();
  await work.engine.runDue();
  expect(work.sent).toHaveLength(2);
});

it("checks every desired state when a process starts, also while the time is not trusted", async () => {
  let isSo = true;
  const { engine, begin, sent } = await openWork({
    next: () => (isSo ? "done" : { do: { type: "send" } }),
    send: () => {
      isSo = true;
      return Promise.resolve({ outcome: "done", step: "sent" });
    },
    isDesiredState: true,
    isTimeTrusted: () => false,
  });
  await begin("a");
  await engine.runDue();
  isSo = false;
  expect(await engine.runDue()).toEqual(new Map());
  const stopping = new AbortController();
  const running = engine.run(stopping.signal);
  await expect.poll(() => sent).toEqual(["a"]);
  stopping.abort();
  await running;
});

it("begins the next round while a slow key of an earlier round is active", async () => {
  const hanging = Promise.withResolvers<undefined>();
  const finished: string[] = [];
  const { engine, begin, clock, sent } = await openWork({
    next: (key) => (finished.includes(key) ? "done" : { do: { type: "send" } }),
    send: async (key) => {
      if (key === "slow") await hanging.promise;
      finished.push(key);
      return { outcome: "done", step: "sent" };
    },
  });
  await begin("slow", 7);
  const stopping = new AbortController();
  const running = engine.run(stopping.signal);
  await expect.poll(() => sent).toEqual(["slow"]);
  await begin("other", 8);
  await expect
    .poll(() => {
      clock.advance(1_000);
      return finished;
    })
    .toEqual(["other"]);
  stopping.abort();
  hanging.resolve(undefined);
  await running;
  expect(finished).toEqual(["other", "slow"]);
});

it("works on a key that no event begins, a while after each start and then again and again", async () => {
  const { open, clock, sent } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: () => Promise.resolve({ outcome: "done", step: "sent", againAfterMs: minuteMs }),
    keys: ["a"],
  });
  const engine = await open();
  const stopping = new AbortController();
  const running = engine.run(stopping.signal);
  const passedMs = (): number => clock.epochMilliseconds() - Date.parse(start);
  const untilSent = async (count: number): Promise<number> => {
    await expect
      .poll(() => {
        clock.advance(10_000);
        return sent.length;
      })
      .toBe(count);
    return passedMs();
  };
  expect(await untilSent(1)).toBeGreaterThanOrEqual(minuteMs);
  expect(await untilSent(2)).toBeGreaterThanOrEqual(2 * minuteMs);
  stopping.abort();
  await running;
});

it("repeats a periodic key some time after its last check began, so that events during the check are seen", async () => {
  const { clock, engine, sent } = await openWork({
    next: () => ({ do: { type: "send" } }),
    send: () => {
      if (sent.length === 1) clock.advance(60 * minuteMs);
      return Promise.resolve({ outcome: "done", step: "sent", againAfterMs: 60 * minuteMs });
    },
    keys: ["a"],
  });
  const stopping = new AbortController();
  const running = engine.run(stopping.signal);
  clock.advance(minuteMs);
  await expect
    .poll(() => {
      clock.advance(1_000);
      return sent;
    })
    .toEqual(["a", "a"]);
  expect(clock.epochMilliseconds() - Date.parse(start)).toBeLessThan(90 * minuteMs);
  stopping.abort();
  await running;
});
