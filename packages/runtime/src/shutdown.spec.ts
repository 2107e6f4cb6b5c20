import { describe, expect, it } from "vitest";

import { createLogger } from "./logging.ts";
import { createShutdown, startOrClose } from "./shutdown.ts";

function shuttingDown(stepLimitMs = 60_000, limitMs = 60_000) {
  const lines: string[] = [];
  const logger = createLogger({ level: "error", sink: { write: (line) => lines.push(line) } });
  return { lines, shutdown: createShutdown({ logger, stepLimitMs, limitMs }) };
}

describe("createShutdown", () => {
  it("closes the last first, one after the other", async () => {
    const { shutdown } = shuttingDown();
    const steps: string[] = [];
    for (const name of ["store", "workers", "listener"]) {
      shutdown.add(name, async () => {
        steps.push(`${name} closing`);
        await Promise.resolve();
        steps.push(`${name} closed`);
      });
    }
    expect(await shutdown.run()).toBe(true);
    expect(steps).toEqual(
      ["listener", "workers", "store"].flatMap((name) => [`${name} closing`, `${name} closed`]),
    );
  });

  it("runs once, despite repeated calls", async () => {
    const { shutdown } = shuttingDown();
    let closed = 0;
    shutdown.add("store", () => {
      closed += 1;
    });
    await Promise.all([shutdown.run(), shutdown.run()]);
    await shutdown.run();
    expect(closed).toBe(1);
  });

  it("continues after a step that fails or never ends", async () => {
    const { shutdown, lines } = shuttingDown(5);
    let storeClosed = false;
    shutdown.add("store", () => {
      storeClosed = true;
    });
    shutdown.add("workers", () => Promise.reject(new Error("still busy")));
    shutdown.add("listener", () => new Promise(() => undefined));
    expect(await shutdown.run()).toBe(false);
    expect(storeClosed).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(/"step":"listener".*it did not end within 5 ms/),
      expect.stringMatching(/"step":"workers".*still busy/),
    ]);
  });
});

it("has a limit for all steps together, and begins every step", async () => {
  const { shutdown } = shuttingDown(60_000, 5);
  const begun: string[] = [];
  for (const name of ["store", "workers", "listener"]) {
    shutdown.add(name, () => {
      begun.push(name);
      return name === "store" ? Promise.resolve() : new Promise(() => undefined);
    });
  }
  expect(await shutdown.run()).toBe(false);
  expect(begun).toEqual(["listener", "workers", "store"]);
});

describe("startOrClose", () => {
  const requested = new Error("asked to stop");

  it("returns the started value, and leaves a later stop to others", async () => {
    const { shutdown } = shuttingDown();
    const stopping = new AbortController();
    const started = await startOrClose(shutdown, stopping.signal, () => Promise.resolve("up"));
    stopping.abort(requested);
    expect(started).toBe("up");
  });

  it("ends a waiting start, and closes what it has opened and what it still opens", async () => {
    const { shutdown } = shuttingDown();
    const stopping = new AbortController();
    const closed: string[] = [];
    const answer = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const starting = startOrClose(shutdown, stopping.signal, async () => {
      shutdown.add("store", () => void closed.push("store"));
      await answer.promise;
      shutdown.add("service", () => {
        closed.push("service");
        ended.resolve(undefined);
      });
    });
    stopping.abort(requested);
    await expect(starting).rejects.toBe(requested);
    expect(closed).toEqual(["store"]);
    answer.resolve(undefined);
    await ended.promise;
    expect(closed).toEqual(["store", "service"]);
  });

  it("begins nothing if the stop came before", async () => {
    const { shutdown } = shuttingDown();
    const begin = () => Promise.reject(new Error("it began"));
    await expect(startOrClose(shutdown, AbortSignal.abort(requested), begin)).rejects.toBe(requested);
  });

  it("closes what a failing start has opened", async () => {
    const { shutdown } = shuttingDown();
    let isClosed = false;
    const failing = startOrClose(shutdown, undefined, () => {
      shutdown.add("store", () => {
        isClosed = true;
      });
      return Promise.reject(new Error("the port is taken"));
    });
    await expect(failing).rejects.toThrow("the port is taken");
    expect(isClosed).toBe(true);
  });
});
