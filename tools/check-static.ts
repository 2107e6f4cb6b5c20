/**
 * Runs the static checks, two at a time, and prints the output of each at its end. All checks run, even after a
 * failure.
 */
import { spawn } from "node:child_process";
import { dirname } from "node:path";

/** Scripts of package.json, the longest first. */
const checks = ["lint", "format:check", "generated:check", "proto:lint"];
const atATime = 2;

const root = dirname(import.meta.dirname);
const waiting = checks.values();
const failed: string[] = [];
await Promise.all(Array.from({ length: atATime }, runUntilNoneWaits));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}.`);
  process.exitCode = 1;
}

async function runUntilNoneWaits(): Promise<void> {
  for (const check of waiting) {
    const { status, said } = await run(check);
    console.log(`${check}: ${status === 0 ? "in order" : "failed"}\n${said}`.trimEnd());
    if (status !== 0) failed.push(check);
  }
}

function run(check: string): Promise<{ readonly status: number; readonly said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("pnpm", ["run", "--silent", check], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.once("error", reject);
    child.once("close", (status) => {
      resolve({ status: status ?? 1, said });
    });
  });
}
