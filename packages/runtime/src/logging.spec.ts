import { closeSync, openSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { createLogger, fileSink, type LoggingOptions } from "./logging.ts";

function logging(options: Partial<LoggingOptions> = {}) {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", sink: { write: (line) => lines.push(line) }, ...options });
  return { logger, lines, fields: (): unknown => JSON.parse(lines.at(-1) ?? "") };
}

describe("createLogger", () => {
  it("writes one JSON object a line", () => {
    const { logger, lines, fields } = logging();
    logger.info({ domain: "example.com" }, "registered");
    expect(lines).toEqual([expect.stringMatching(/^\{.*\}\n$/)]);
    expect(fields()).toMatchObject({ level: "info", domain: "example.com", message: "registered" });
    expect(lines[0]).toMatch(/"time":"\d{4}-\d{2}-\d{2}T[\d:.]+Z"/);
  });

  it("leaves out messages below the level", () => {
    const { logger, lines } = logging({ level: "warn" });
    logger.info("nobody hears this");
    expect(lines).toEqual([]);
  });

  it("writes errors whole, with their cause", () => {
    const { logger, lines, fields } = logging();
    logger.error({ error: new Error("outer", { cause: new Error("inner") }) }, "it broke");
    expect(fields()).toMatchObject({ error: { type: "Error", message: "outer: inner" } });
    expect(lines[0]).toContain("caused by: Error: inner");
    logger.error(new Error("bare"));
    expect(fields()).toMatchObject({ error: { message: "bare" }, message: "bare" });
  });

  it.each([
    { authorization: "hl_secret" },
    { headers: { authorization: "hl_secret" } },
    { request: { headers: { Authorization: "hl_secret" } } },
    { apiKey: "hl_secret" },
    { body: { api_key: "hl_secret" } },
    { token: "hl_secret" },
    { configuration: { adminToken: "hl_secret", callerSecret: "hl_secret" } },
    { keys: [{ apiKey: "hl_secret" }] },
    { error: Object.assign(new Error("refused"), { request: { authorization: "hl_secret" } }) },
  ])("hides credentials: %j", (object) => {
    const { logger, lines } = logging();
    logger.info(object, "a request");
    expect(lines).toEqual([expect.stringContaining("(hidden)")]);
    expect(lines.join("")).not.toContain("hl_secret");
    expect(JSON.stringify(object)).toContain("hl_secret");
  });

  it("continues if the disk of its file is full", () => {
    const full = openSync("/dev/full", "w");
    const logger = createLogger({ level: "info", sink: fileSink(full) });
    expect(() => {
      for (let line = 0; line < 3; line += 1) logger.info({ line }, "x".repeat(1_048_576));
    }).not.toThrow();
    closeSync(full);
  });

  it("has a form for people", () => {
    const { logger, lines } = logging({ format: "pretty" });
    logger.warn({ domain: "example.com", attempt: 3, token: "hl_secret" }, "zone refused");
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}zone refused domain=example\.com attempt=3 token=\(hidden\)\n$/,
    );
    logger.error({ error: new Error("no route") }, "it broke");
    expect(lines[1]).toMatch(/ERROR it broke\n {2}Error: no route\n {6}at /);
  });
});
