/**
 * Prints the files and lines of production TypeScript, by folder and in total. Generated code, specs, fixtures, contract
 * suites, programs that only specs start, `testing` folders and `test/` do not count.
 *
 * Usage: `pnpm run count [commit]`. Without a commit it counts the files as they are on the disk.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Count {
  files: number;
  lines: number;
}

const root = dirname(import.meta.dirname);
const [commit] = process.argv.slice(2);
const notProduction = [
  /^test\//,
  /\/(gen|testing|contract|fixtures)\//,
  /\.(spec|fixture|contract|child)\.ts$/,
];

const byFolder = new Map<string, Count>();
const total: Count = { files: 0, lines: 0 };
for (const path of trackedFiles()) {
  if (!path.endsWith(".ts") || notProduction.some((pattern) => pattern.test(path))) continue;
  const lines = contentOf(path).split("\n").length - 1;
  const folder = folderOf(path);
  const count = byFolder.get(folder) ?? { files: 0, lines: 0 };
  byFolder.set(folder, count);
  for (const sum of [count, total]) {
    sum.files += 1;
    sum.lines += lines;
  }
}
console.log("  lines  files  folder");
for (const [folder, count] of byFolder) print(count, folder);
print(total, "total");

function git(...line: readonly string[]): string {
  return execFileSync("git", line, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

function trackedFiles(): readonly string[] {
  const listed =
    commit === undefined ? git("ls-files", "-z") : git("ls-tree", "-r", "-z", "--name-only", commit);
  return listed.split("\0");
}

function contentOf(path: string): string {
  return commit === undefined ? readFileSync(join(root, path), "utf8") : git("show", `${commit}:${path}`);
}

/** A package or service counts as one folder; outside of them, the folder at the top does. */
function folderOf(path: string): string {
  return /^(?:packages|services)\/[^/]+/.exec(path)?.[0] ?? path.replace(/\/.*/, "");
}

function print({ files, lines }: Count, folder: string): void {
  console.log(`${String(lines).padStart(7)}  ${String(files).padStart(5)}  ${folder}`);
}
