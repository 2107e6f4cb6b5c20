import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { tiers } from "./tiers.ts";

const script = join(import.meta.dirname, "test-all.ts");

/** A program's name that tiers ask for: those with a path are looked for where they are. */
const named = tiers.flatMap(({ program = "/" }) => (program.startsWith("/") ? [] : [program]));
/** Tiers that need only these programs. */
const anywhere = tiers.filter(({ program = "" }) => !program.startsWith("/"));
const namesOf = (isLong: boolean): readonly string[] =>
  anywhere.filter((tier) => (tier.isLong ?? false) === isLong).map(({ name }) => name);

/**
 * Runs the script on a machine with these programs and a vitest that fails so many times before it passes one test.
 * @returns the output, and the tiers of each run of vitest.
 */
function run(
  line: readonly string[],
  environment: NodeJS.ProcessEnv,
  programs: readonly string[] = [],
  fails = 0,
) {
  const folder = directoryOfTest();
  const asked = join(folder, "asked");
  writeFileSync(asked, "");
  for (const program of programs) writeFileSync(join(folder, program), "");
  const vitest = `#!${process.execPath}
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
const option = process.argv.find((argument) => argument.startsWith("--outputFile.json="));
appendFileSync(${JSON.stringify(asked)}, process.env.TEST_TIERS + "\\n");
const runs = readFileSync(${JSON.stringify(asked)}, "utf8").trimEnd().split("\\n").length;
const status = runs > ${String(fails)} ? "passed" : "failed";
const test = { status, fullName: "a test", failureMessages: status === "failed" ? ["it said no"] : [] };
const report = { testResults: [{ name: process.cwd() + "/a.spec.ts", status, assertionResults: [test] }] };
writeFileSync(option.slice(option.indexOf("=") + 1), JSON.stringify(report));
process.exitCode = status === "passed" ? 0 : 1;
`;
  writeFileSync(join(folder, "vitest"), vitest, { mode: 0o755 });
  const { status, stdout } = spawnSync(process.execPath, [script, ...line], {
    cwd: dirname(import.meta.dirname),
    // The machine has only the programs named here.
    env: { PATH: folder, TMPDIR: folder, ...environment },
    encoding: "utf8",
  });
  const lines = stdout.trimEnd().split("\n");
  const tiersOfRuns = readFileSync(asked, "utf8").split("\n").slice(0, -1);
  return { status, lines, last: lines.at(-1), tiersOfRuns: tiersOfRuns.map((names) => names.split(";")) };
}

describe("npm test", () => {
  it("runs every tier but the long ones", () => {
    const { status, last, tiersOfRuns } = run([], {}, named);
    expect({ status, last }).toEqual({ status: 0, last: "1 passed, 0 failed" });
    expect(tiersOfRuns).toEqual([expect.arrayContaining([...namesOf(false)])]);
    expect(tiersOfRuns.flat().filter((name) => namesOf(true).includes(name))).toEqual([]);
  });

  it("prints in one line what it leaves out, and why, if the programs are not installed", () => {
    const { status, lines, tiersOfRuns } = run([], {}, []);
    expect(status).toBe(0);
    const [said, ...others] = lines.filter((text) => text.startsWith("Left out"));
    expect(others).toEqual([]);
    expect(said).toMatch(
      /^Left out, since the programs are not installed, which tools\/setup does: strace, /,
    );
    expect(said).toContain("poppler (pdftotext)");
    expect(tiersOfRuns.flat()).toEqual(expect.arrayContaining(["unit", "integration", "e2e"]));
    expect(tiersOfRuns.flat()).not.toContain("pdns");
  });

  it("leaves nothing out in CI: a tier that cannot run has failed", () => {
    const { status, lines, last } = run([], { CI: "true" }, []);
    expect(status).toBe(1);
    expect(lines.filter((text) => text.startsWith("Left out"))).toEqual([]);
    expect(lines).toContain("Failed: pdns: not run; tools/setup installs its program");
    const lacking = lines.filter((text) => text.endsWith(": not run; tools/setup installs its program"));
    expect(last).toBe(`1 passed, ${String(lacking.length)} failed`);
  });

  it("repeats failures once in CI, and names them", () => {
    const environment = { CI: "true", TEST_TIERS: "unit" };
    expect(run([], environment, [], 1)).toMatchObject({
      status: 0,
      lines: ["Flaky: a.spec.ts: a test: it said no", "1 passed, 0 failed"],
      tiersOfRuns: [["unit"], ["unit"]],
    });
    expect(run([], environment, [], 2)).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
    expect(run([], { TEST_TIERS: "unit" }, [], 1)).toMatchObject({ status: 1, tiersOfRuns: [["unit"]] });
  });
});

describe("TEST_TIERS", () => {
  it("selects the tiers", () => {
    expect(run([], { TEST_TIERS: "unit;e2e" }).tiersOfRuns).toEqual([["unit", "e2e"]]);
    expect(run(["--long"], { TEST_TIERS: "unit;long" }).tiersOfRuns).toEqual([["long"]]);
  });

  it("runs nothing, with a message, if the command runs none of the tiers", () => {
    const { status, lines, tiersOfRuns } = run(["--long"], { TEST_TIERS: "unit" });
    expect(status).toBe(1);
    expect(lines.at(0)).toMatch(
      /^Failed: no test ran; those with \.long in their names run with npm run test:long/,
    );
    expect(lines.at(-1)).toBe("0 passed, 1 failed");
    expect(tiersOfRuns).toEqual([]);
  });
});
