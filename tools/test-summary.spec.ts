import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { filesToRunAgain, summarise } from "./test-summary.ts";
import type { VitestReport } from "./vitest-report.codec.ts";

const file = (status: "passed" | "failed", ...tests: string[]): VitestReport["testResults"][number] => ({
  name: join(process.cwd(), "a.spec.ts"),
  status,
  assertionResults: tests.map((test) => ({
    status: test,
    fullName: "a test",
    failureMessages: test === "failed" ? ["\u001b[31mexpected 1 to be 2\u001b[39m\n    at a.spec.ts:1"] : [],
  })),
});

describe("summarise", () => {
  it("counts passed tests and names failed ones, with their first error", () => {
    const report = { testResults: [file("passed", "passed", "passed"), file("failed", "passed", "failed")] };
    expect(summarise(report, 1)).toEqual({
      passed: 3,
      failures: ["a.spec.ts: a test: expected 1 to be 2"],
      failedFiles: ["a.spec.ts"],
    });
  });

  it.each([
    ["a file that does not load", { testResults: [file("passed", "passed"), file("failed")] }, 1, 1],
    ["a hook that fails after the tests", { testResults: [file("failed", "passed")] }, 1, 1],
    ["an error outside every file", { testResults: [file("passed", "passed")] }, 1, 1],
    ["a skipped test", { testResults: [file("passed", "passed", "skipped")] }, 0, 1],
    ["a todo", { testResults: [file("passed", "passed", "todo")] }, 0, 1],
    ["no test at all", { testResults: [] }, 0, 0],
    ["no report", undefined, 1, 0],
  ])("counts %s as one failure", (_case, report, status, passed) => {
    const summary = summarise(report, status);
    expect(summary.passed).toBe(passed);
    expect(summary.failures).toHaveLength(1);
  });
});

describe("filesToRunAgain", () => {
  const again = (...files: VitestReport["testResults"]) =>
    filesToRunAgain(summarise({ testResults: files }, 1));

  it("are those of up to three failed tests", () => {
    expect(again(file("failed", "passed", "failed", "failed"), file("failed", "failed"))).toEqual([
      "a.spec.ts",
    ]);
    expect(again(file("failed", "failed", "failed", "failed", "failed"))).toEqual([]);
  });

  it.each([
    ["nothing failed", [file("passed", "passed")]],
    ["a test was skipped", [file("failed", "failed", "skipped")]],
    ["a file did not load", [file("failed", "failed"), file("failed")]],
  ])("are none when %s", (_case, files) => {
    expect(again(...files)).toEqual([]);
  });
});
