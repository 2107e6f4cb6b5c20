/**
 * Runs the whole test suite and prints `N passed, N failed` as the very last line. Arguments go to vitest, for example
 * `npm test -- packages/core`.
 *
 * Stricter than vitest alone: a file that does not load, an error outside a test, a skipped test and a run without any
 * test count as failures.
 */
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { summarise, type Summary } from "./test-summary.ts";
import { decodeReport, type VitestReport } from "./vitest-report.codec.ts";

/** Tiers of vitest.config.ts that look through a program of the operating system, which `tools/setup` installs. */
const programs = [
  { program: "strace", tier: "strace", files: "**/*.strace.e2e.spec.ts" },
  { program: "chromium", tier: "chromium", files: "**/*.chromium.e2e.spec.ts" },
  { program: "pdftotext", tier: "poppler", files: "**/*.poppler.e2e.spec.ts" },
  { program: "ledger", tier: "ledger", files: "**/*.ledger.e2e.spec.ts" },
  { program: "hledger", tier: "hledger", files: "**/*.hledger.e2e.spec.ts" },
  { program: "bean-check", tier: "beancount", files: "**/*.beancount.e2e.spec.ts" },
];

const inCi = process.env.CI === "true";
const missing = programs
  .filter(({ program }) => !isOnPath(program))
  .map(({ program, tier, files }) => ({
    program,
    tier,
    names: globSync(files, { exclude: ["**/node_modules/**"] }),
  }))
  .filter(({ names }) => names.length > 0);
const sentences = missing.map(
  ({ program, names }) => `${names.join(", ")}: needs ${program}; tools/setup installs it.`,
);

if (!inCi) for (const sentence of sentences) console.log(`Left out: ${sentence}`);
const { passed, failed, remarks } = await runVitest(missing.map(({ tier }) => tier));
for (const remark of remarks) console.log(remark);
if (inCi) for (const sentence of sentences) console.log(`Not run, which counts as failed: ${sentence}`);
const failures = failed + (inCi ? sentences.length : 0);
console.log(`${String(passed)} passed, ${String(failures)} failed`);
process.exitCode = failures === 0 ? 0 : 1;

async function runVitest(leftOutTiers: readonly string[]): Promise<Summary> {
  const folder = mkdtempSync(join(tmpdir(), "hostledger-tests-"));
  const report = join(folder, "report.json");
  try {
    const status = await run("vitest", [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...leftOutTiers.map((tier) => `--project=!${tier}`),
      ...process.argv.slice(2),
    ]);
    return summarise(readReport(report), status);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The report, or undefined when vitest ended before it wrote one. */
function readReport(file: string): VitestReport | undefined {
  try {
    return decodeReport(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function run(program: string, parameters: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (status) => {
      resolve(status ?? 1);
    });
  });
}

function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => globSync(join(folder, program)).length > 0);
}
