import { describe, expect, it } from "vitest";

import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { fakeSystem, startWith, untilReady } from "../testing/fake-system.ts";

const data = useDirectory();
const terminalColumns = 80;

/** Starts an instance, logs a line of each severity, sends a signal. @returns lines of standard error */
async function linesOf(environment: Readonly<Record<string, string>>, columns?: number) {
  const io = capturedIo(environment, columns);
  const system = fakeSystem();
  const exit = startWith(system, data().path, io);
  await untilReady(io);
  const { logger } = await system.started;
  logger.info({ port: 1 }, "an ordinary line");
  logger.warn({ port: 2 }, "a warning");
  io.signal("SIGTERM");
  expect(await exit).toBe(0);
  expect(io.stdout()).toBe("ready http://h:8080/api/v1\n");
  return io.stderr().split("\n").slice(0, -1);
}

describe("at a terminal, start", () => {
  it("prints a few sentences about its progress, and readable warnings", async () => {
    expect(await linesOf({}, terminalColumns)).toEqual([
      `Hostledger opens ${data().path} and brings its read models up to the last event.`,
      "Staff and GET /metrics are served at http://h:8081; Ctrl-C ends it.",
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}a warning port=2$/),
      "Finishing running work; another signal ends the process at once.",
    ]);
  });

  it.each([{ HOSTLEDGER_LOG_FORMAT: "json" }, { HOSTLEDGER_LOG_LEVEL: "info" }])(
    "logs as %o configures, and nothing else",
    async (environment) => {
      const lines = await linesOf(environment, terminalColumns);
      expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
        { message: "an ordinary line" },
        { message: "a warning" },
        { message: "shutting down" },
      ]);
    },
  );
});

it("logs only JSON without a terminal", async () => {
  const lines = await linesOf({});
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level: "info", port: 1, message: "an ordinary line" },
    { level: "warn", port: 2, message: "a warning" },
    { level: "info", signal: "SIGTERM", message: "shutting down" },
  ]);
});
