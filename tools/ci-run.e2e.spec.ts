import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hostledger-ci-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  for (const folder of [".ci", "tools", "machine"]) mkdirSync(join(root, folder));
  copyFileSync(join(dirname(import.meta.dirname), ".ci/run"), join(root, ".ci/run"));
  program("tools/setup", "exit 0");
});

function program(file: string, line: string): void {
  writeFileSync(join(root, file), `#!/bin/sh\n${line}\n`);
  chmodSync(join(root, file), 0o755);
}

/**
 * Runs `.ci/run` with replacements: these shell lines stand for `npm test` and `npm run test:long`, and an exit code
 * or shell line for the static checks.
 */
function run({ checks = 0, test, long }: { checks?: number | string; test: string; long: string }) {
  const stub = typeof checks === "string" ? checks : `process.exitCode = ${String(checks)};`;
  writeFileSync(join(root, "tools/bootstrap.mjs"), `${stub}\n`);
  program("machine/npm", `[ "$CI" = true ] || exit 9\nif [ "$1" = test ]; then ${test}; else ${long}; fi`);
  const path = [join(root, "machine"), process.env.PATH ?? ""].join(delimiter);
  const { status, stdout } = spawnSync(join(root, ".ci/run"), { env: { PATH: path }, encoding: "utf8" });
  const lines = stdout.trimEnd().split("\n");
  return { status, last: lines.at(-1), lines };
}

const right = { test: "echo 10 passed, 0 failed", long: "echo noise; echo 3 passed, 0 failed" };

describe(".ci/run", () => {
  it("ends with one summary line", () => {
    expect(run(right)).toMatchObject({ status: 0, last: "13 passed, 0 failed" });
  });

  it.each([
    ["failed static checks", { checks: 1 }, "13 passed, 1 failed"],
    ["failed tests", { test: "echo 8 passed, 2 failed; exit 1" }, "11 passed, 2 failed"],
    ["failed long tests", { long: "echo 1 passed, 2 failed; exit 1" }, "11 passed, 2 failed"],
    ["a part without a summary", { test: "echo well; exit 1" }, "3 passed, 1 failed"],
    ["a part that says nothing and ends well", { long: "true" }, "10 passed, 1 failed"],
    [
      "a part that ends badly after a good summary",
      { long: "echo 3 passed, 0 failed; exit 1" },
      "13 passed, 1 failed",
    ],
    ["everything", { checks: 1, test: "exit 1", long: "exit 1" }, "0 passed, 3 failed"],
  ])("counts %s", (_case, wrong, last) => {
    expect(run({ ...right, ...wrong })).toMatchObject({ status: 1, last });
  });

  it("lists the failures at the end, despite later output", () => {
    const test = "echo Failed: a.spec.ts: a test; echo 8 passed, 1 failed; exit 1";
    expect(run({ ...right, checks: 1, test }).lines.slice(-3)).toEqual([
      "Failed: a.spec.ts: a test",
      "Failed: the static checks",
      "11 passed, 2 failed",
    ]);
  });

  it("runs the static checks beside the long tier, and prints their output in one piece", () => {
    const checks = "setTimeout(() => { console.log('lint: in order'); process.exitCode = 1; }, 100);";
    const { lines, last } = run({ ...right, checks });
    expect(lines.slice(0, 4)).toEqual([
      "10 passed, 0 failed",
      "noise",
      "3 passed, 0 failed",
      "lint: in order",
    ]);
    expect(last).toBe("13 passed, 1 failed");
  });
});
