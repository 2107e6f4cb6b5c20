import { describe, expect, it } from "vitest";

import { createLogger } from "./logging.ts";
import { createShutdown } from "./shutdown.ts";

function shuttingDown(stepLimitMs = 60_000) {
  const lines: string[] = [];
  const logger = createLogger({ level: "error", sink: { write: (line) => lines.push(line) } });
  return { lines, shutdown: createShutdown({ logger, stepLimitMs }) };
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

  it("runs once, however often it is asked", async () => {
    const { shutdown } = shuttingDown();
    let closed = 0;
    shutdown.add("store", () => {
      closed += 1;
    });
    await Promise.all([shutdown.run(), shutdown.run()]);
    await shutdown.run();
    expect(closed).toBe(1);
  });

  it("goes on after a step that fails or never ends", async () => {
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
