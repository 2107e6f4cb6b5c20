import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

import type { VitestReport } from "./vitest-report.codec.ts";

/** Result of a run of the suite. */
export interface Summary {
  readonly passed: number;
  /** A sentence for each thing that counts as a failure. */
  readonly failures: readonly string[];
  /** Files whose tests failed; undefined if something else failed as well. */
  readonly failedFiles: readonly string[] | undefined;
}

/** More failures than these are no accident of a busy machine. */
const mostFlaky = 3;

/** The files that are worth a second run: none when much failed, or anything but a test (ADR 0027). */
export function filesToRunAgain({ failures, failedFiles = [] }: Summary): readonly string[] {
  return failures.length > mostFlaky ? [] : failedFiles;
}

/**
 * Counts a run.
 * @param report vitest's report; undefined when it wrote none.
 * @param status vitest's exit status.
 */
export function summarise(report: VitestReport | undefined, status: number): Summary {
  const files = report?.testResults ?? [];
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(process.cwd(), name) })),
  );
  const failed = tests.filter((test) => test.status === "failed");
  const failures = [
    ...failed.map((test) => `${test.file}: ${test.fullName}: ${firstLine(test.failureMessages)}`),
    ...tests
      .filter((test) => test.status !== "passed" && test.status !== "failed")
      .map((test) => `${test.file}: ${test.fullName}: not run`),
    ...files
      .filter(
        (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
      )
      .map((file) => `${relative(process.cwd(), file.name)}: failed outside its tests`),
  ];
  if (tests.length === 0 && failures.length === 0)
    failures.push(
      "no test ran; those with .long in their names run with npm run test:long, the others with npm test",
    );
  if (status !== 0 && failures.length === 0) failures.push(`vitest ended with status ${String(status)}`);
  return {
    passed: tests.filter((test) => test.status === "passed").length,
    failures,
    failedFiles: failures.length > failed.length ? undefined : [...new Set(failed.map((test) => test.file))],
  };
}

function firstLine(messages: readonly string[] = []): string {
  return stripVTControlCharacters(messages.join("\n")).trim().split("\n", 1).join("").slice(0, 500);
}
