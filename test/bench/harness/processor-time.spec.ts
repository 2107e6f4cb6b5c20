import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, onTestFinished, test } from "vitest";

import { processorTimeBelowMs, processorTimeOfMs } from "./processor-time.ts";

test("the processor time of child processes is summed, except for uncounted ones", async () => {
  const busy = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
  onTestFinished(async () => {
    const ended = once(busy, "close");
    busy.kill("SIGKILL");
    await ended;
  });
  const { pid = 0 } = busy;
  // Without /proc the times are unknown.
  const leastMs = process.platform === "linux" ? 50 : -1;
  await expect.poll(() => processorTimeBelowMs([]) - processorTimeBelowMs([pid])).toBeGreaterThan(leastMs);
  expect(processorTimeOfMs(pid)).toBeGreaterThan(leastMs);
  expect(processorTimeOfMs(0)).toBe(0);
});
