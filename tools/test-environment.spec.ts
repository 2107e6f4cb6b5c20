import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { prepareTestEnvironment } from "./test-environment.ts";

describe("the environment of the tests", () => {
  it("caches compiled modules, and has a writable folder for temporary files if it names one", () => {
    const environment: NodeJS.ProcessEnv = {};
    prepareTestEnvironment(environment, "/cache");
    const { NODE_COMPILE_CACHE, TMPDIR, ...others } = environment;
    expect(NODE_COMPILE_CACHE).toBe("/cache");
    expect(others).toEqual({});
    // A machine without files in memory keeps to its own folder.
    const folder = TMPDIR ?? tmpdir();
    const file = join(folder, `hostledger-environment-${String(process.pid)}`);
    onTestFinished(() => {
      rmSync(TMPDIR ?? file, { recursive: true });
    });
    writeFileSync(file, "");
    expect(existsSync(file)).toBe(true);
  });

  it("leaves existing variables", () => {
    const environment = { NODE_COMPILE_CACHE: "/theirs", TMPDIR: "/elsewhere" };
    prepareTestEnvironment(environment, "/cache");
    expect(environment).toEqual({ NODE_COMPILE_CACHE: "/theirs", TMPDIR: "/elsewhere" });
  });
});
