import type { VitestReport } from "./vitest-report.codec.ts";

/** What a run of the suite comes to. */
export interface Summary {
  readonly passed: number;
  readonly failed: number;
  /** Sentences about failures that are no failed test. */
  readonly remarks: readonly string[];
}

/**
 * Counts a run.
 * @param report vitest's report; undefined when it wrote none.
 * @param status vitest's exit status.
 */
export function summarise(report: VitestReport | undefined, status: number): Summary {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const failed = tests.filter((test) => test.status === "failed").length;
  const remarks = [
    ...tests
      .filter((test) => test.status !== "passed" && test.status !== "failed")
      .map((test) => `Not run, which counts as failed: ${test.fullName}`),
    ...files
      .filter(
        (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
      )
      .map((file) => `The file failed outside its tests: ${file.name}`),
  ];
  if (tests.length === 0 && remarks.length === 0)
    remarks.push(
      "No test ran. Those with .long in their names run with npm run test:long, the others with npm test.",
    );
  if (status !== 0 && failed + remarks.length === 0)
    remarks.push(`vitest ended with status ${String(status)}.`);
  return { passed, failed: failed + remarks.length, remarks };
}
