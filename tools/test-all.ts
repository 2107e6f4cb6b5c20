/**
 * Runs the tests and prints `N passed, N failed` as the very last line: everything but the long tier, or with `--long` as
 * the first argument the long tier alone. Further arguments go to vitest, for example `npm test -- packages/core`.
 *
 * Stricter than vitest alone: a file that does not load, an error outside a test, a skipped test and a run without any
 * test count as failures. With `CI=true` the files of at most three failed tests are run once more (ADR 0027).
 */
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

import { filesToRunAgain, summarise, type Summary } from "./test-summary.ts";
import { tiersNamed } from "./tiers.ts";
import { decodeReport, type VitestReport } from "./vitest-report.codec.ts";

const [first, ...rest] = process.argv.slice(2);
const isLong = first === "--long";
const parameters = isLong || first === undefined ? rest : [first, ...rest];

const inCi = process.env.CI === "true";
const wanted = tiersNamed(process.env.TEST_TIERS).filter((tier) => (tier.isLong ?? false) === isLong);
const unfit = wanted.filter(({ unfit }) => unfit?.() !== undefined);
const lacking = wanted.filter(
  (tier) => tier.program !== undefined && !unfit.includes(tier) && !isInstalled(tier.program),
);
const parts = lacking
  .map(({ name, program = "" }) => (program === name ? name : `${name} (${program})`))
  .join(", ");

for (const { name, unfit: reason } of unfit) console.log(`Left out: ${name}, since ${reason?.() ?? ""}.`);
if (!inCi && lacking.length > 0)
  console.log(`Left out, since the programs are not installed, which tools/setup does: ${parts}.`);
const able = wanted.filter((tier) => !lacking.includes(tier) && !unfit.includes(tier));
process.env.TEST_TIERS = able.map(({ name }) => name).join(";");
// Without any tier vitest would run all of them.
const whole = able.length === 0 ? summarise(undefined, 1) : await runVitest(parameters);
const again = inCi ? filesToRunAgain(whole) : [];
const isFlaky = again.length > 0 && (await runVitest(again)).failures.length === 0;
const notRun = inCi ? lacking.map(({ name }) => `${name}: not run; tools/setup installs its program`) : [];
const failed = [...(isFlaky ? [] : whole.failures), ...notRun];
const passed = whole.passed + (isFlaky ? whole.failures.length : 0);
// Once more and together, since thousands of lines may stand between the failures and the end.
if (isFlaky) for (const failure of whole.failures) console.log(`Flaky: ${failure}`);
for (const failure of failed) console.log(`Failed: ${failure}`);
console.log(`${String(passed)} passed, ${String(failed.length)} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runVitest(line: readonly string[]): Promise<Summary> {
  const folder = mkdtempSync(join(tmpdir(), "hostledger-tests-"));
  const report = join(folder, "report.json");
  try {
    const status = await run("vitest", [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      // Each test of the long tier keeps several processes busy.
      ...(isLong ? [`--maxWorkers=${String(availableParallelism() + 1)}`] : []),
      ...line,
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

function run(program: string, line: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, line, { stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (status) => {
      resolve(status ?? 1);
    });
  });
}

function isInstalled(program: string): boolean {
  if (isAbsolute(program)) return existsSync(program);
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => globSync(join(folder, program)).length > 0);
}
