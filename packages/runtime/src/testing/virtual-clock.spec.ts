import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { within } from "../async/limits.ts";
import { afterThisTurn, yieldToOthers } from "../async/event-loop.ts";
import { listen } from "./listen.ts";
import { virtualClock } from "./virtual-clock.ts";

const start = "2026-03-01T10:00:00.000000Z";
const yearMs = 365 * 86_400_000;

describe("waiting by a virtual clock", () => {
  it("costs nothing, and its time passes", async () => {
    const clock = virtualClock(start);
    await clock.sleep(yearMs);
    expect(clock.now().slice(0, 10)).toBe("2027-03-01");
    expect(clock.monotonicMilliseconds()).toBe(yearMs);
  });

  it("ends in the order of due times, in any order of starts", async () => {
    const clock = virtualClock(start);
    const woken: string[] = [];
    const waiter = async (name: string, ...pauses: readonly number[]): Promise<void> => {
      for (const pauseMs of pauses) {
        await clock.sleep(pauseMs);
        woken.push(`${name} at ${String(clock.monotonicMilliseconds())}`);
      }
    };
    await Promise.all([waiter("a", 50, 50), waiter("b", 20, 20, 20, 20), waiter("c", 75)]);
    expect(woken).toEqual(["b at 20", "b at 40", "a at 50", "b at 60", "c at 75", "b at 80", "a at 100"]);
  });

  it("ends early when its signal aborts, and delays nothing any more", async () => {
    const clock = virtualClock(start);
    const cut = new AbortController();
    const sleeping = clock.sleep(1_000, cut.signal);
    cut.abort();
    await sleeping;
    expect(clock.monotonicMilliseconds()).toBe(0);
  });

  it("can be moved on by hand beside", async () => {
    const clock = virtualClock(start);
    const sleeping = clock.sleep(1_000);
    clock.advance(2_000);
    await sleeping;
    expect(clock.monotonicMilliseconds()).toBe(2_000);
  });

  it("ends while a test has its own timers, and ignores them", async () => {
    const clock = virtualClock(start);
    const sleeping = clock.sleep(1_000);
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await sleeping;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the instants of a virtual clock", () => {
  it("rise, also while time does not advance", () => {
    const clock = virtualClock(start);
    const times = Array.from({ length: 2_500 }, () => clock.now());
    expect(times).toEqual([...new Set(times)].sort());
    expect(clock.epochMilliseconds()).toBe(Date.parse(start));
  });
});

/** Races work without virtual time against a limit of a second, which must not win. */
async function isInTime(
  work: (clock: ReturnType<typeof virtualClock>) => Promise<unknown>,
): Promise<boolean> {
  const clock = virtualClock(start);
  return within(
    1_000,
    work(clock).then(() => true),
    () => false,
    clock,
  );
}

describe("time stands still", () => {
  it("while turns of the event loop follow each other, however many", async () => {
    const turning = async (): Promise<void> => {
      for (let turn = 0; turn < 20_000; turn += 1) await yieldToOthers();
    };
    expect(await isInTime(turning)).toBe(true);
  });

  it("while the thread is at work, however long", async () => {
    const working = async (): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        for (const until = performance.now() + 20; performance.now() < until;);
        await yieldToOthers();
      }
    };
    expect(await isInTime(working)).toBe(true);
  });

  it("while requests go over loopback connections", async () => {
    const server = createServer((_request, response) => {
      afterThisTurn(() => response.end("x".repeat(100_000)));
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const asking = async (): Promise<void> => {
      for (let request = 0; request < 50; request += 1) {
        const response = await new Promise<IncomingMessage>((resolve) =>
          get({ port, host: "127.0.0.1" }, resolve),
        );
        response.resume();
        await once(response, "end");
      }
    };
    expect(await isInTime(asking)).toBe(true);
  });

  it("while another thread works, if that was announced", async () => {
    const program = `const { parentPort } = require("node:worker_threads");
      parentPort.on("message", () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30); parentPort.postMessage(1); });`;
    const worker = new Worker(program, { eval: true });
    onTestFinished(() => worker.terminate().then(() => undefined));
    const asking = async (clock: ReturnType<typeof virtualClock>): Promise<void> => {
      for (let question = 0; question < 3; question += 1) {
        worker.postMessage(question);
        await clock.busyWhile(once(worker, "message"));
      }
    };
    expect(await isInTime(asking)).toBe(true);
  });

  it("no longer once the announced work has failed", async () => {
    const clock = virtualClock(start);
    await expect(clock.busyWhile(Promise.reject(new Error("no")))).rejects.toThrow("no");
    await clock.sleep(1_000);
    expect(clock.monotonicMilliseconds()).toBe(1_000);
  });
});

it("is over for callers that wait for nothing else", async () => {
  expect(await isInTime(() => new Promise(() => undefined))).toBe(false);
});
