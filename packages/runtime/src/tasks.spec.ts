import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { createLogger, silentLogger } from "./logging.ts";
import { supervise } from "./tasks.ts";

const backoff = { firstMs: 1, longestMs: 4 };
const logger = silentLogger();

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

describe("supervise", () => {
  it("runs the task until it is stopped, and waits for its end", async () => {
    const steps: string[] = [];
    const task = supervise(
      "a task",
      async (signal) => {
        steps.push("started");
        await untilAborted(signal);
        await Promise.resolve();
        steps.push("cleaned up");
      },
      { logger },
    );
    expect(task.state).toBe("running");
    await task.stop();
    expect(steps).toEqual(["started", "cleaned up"]);
    expect(task).toMatchObject({ name: "a task", state: "stopped", restarts: 0 });
    await task.stop();
  });

  it("restarts the task when it throws or returns early, and logs it", async () => {
    const lines: string[] = [];
    const { promise: third, resolve: thirdStarted } = Promise.withResolvers<undefined>();
    let starts = 0;
    const task = supervise(
      "a task",
      async (signal) => {
        starts += 1;
        if (starts === 1) throw new Error("no connection");
        if (starts === 2) return;
        thirdStarted(undefined);
        await untilAborted(signal);
      },
      { logger: createLogger({ level: "error", sink: { write: (line) => lines.push(line) } }), backoff },
    );
    await third;
    expect(task).toMatchObject({ state: "running", restarts: 2 });
    await task.stop();
    expect(lines).toEqual([
      expect.stringContaining("no connection"),
      expect.stringContaining("it returned before it was told to stop"),
    ]);
  });

  it("waits twice as long each time, up to the longest wait", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    onTestFinished(() => {
      random.mockRestore();
    });
    const waits: unknown[] = [];
    const { promise: enough, resolve: isEnough } = Promise.withResolvers<undefined>();
    const sink = {
      write: (line: string) => {
        waits.push(/"waitMs":(\d+)/.exec(line)?.[1]);
        if (waits.length === 5) isEnough(undefined);
      },
    };
    const failing = (): Promise<void> => Promise.reject(new Error("no"));
    const task = supervise("a task", failing, { logger: createLogger({ level: "error", sink }), backoff });
    await enough;
    await task.stop();
    expect(waits.slice(0, 5)).toEqual(["1", "2", "4", "4", "4"]);
  });

  it("does not wait out a long backoff when it is stopped", async () => {
    const task = supervise("a task", () => Promise.reject(new Error("no")), {
      logger,
      backoff: { firstMs: 3_600_000, longestMs: 3_600_000 },
    });
    await vi.waitUntil(() => task.state === "waiting");
    await task.stop();
    expect(task.state).toBe("stopped");
  });

  it("accepts an error during the stop as the end", async () => {
    const task = supervise(
      "a task",
      async (signal) => {
        await untilAborted(signal);
        signal.throwIfAborted();
      },
      { logger },
    );
    await expect(task.stop()).resolves.toBeUndefined();
    expect(task.restarts).toBe(0);
  });
});
