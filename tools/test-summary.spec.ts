import { describe, expect, it } from "vitest";

import { summarise } from "./test-summary.ts";
import type { VitestReport } from "./vitest-report.codec.ts";

const file = (status: "passed" | "failed", ...tests: string[]): VitestReport["testResults"][number] => ({
  name: "a.spec.ts",
  status,
  assertionResults: tests.map((test) => ({ status: test, fullName: "a test" })),
});

describe("summarise", () => {
  it("counts passed and failed tests", () => {
    const report = { testResults: [file("passed", "passed", "passed"), file("failed", "passed", "failed")] };
    expect(summarise(report, 1)).toEqual({ passed: 3, failed: 1, remarks: [] });
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
    expect(summary).toMatchObject({ passed, failed: 1 });
    expect(summary.remarks).toHaveLength(1);
  });
});
