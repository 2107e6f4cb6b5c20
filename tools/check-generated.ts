/**
 * Compares every committed file that is made from another one with what would be made of it today. With `--write` it
 * writes them instead.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { generatedDocuments } from "./generated-documents.ts";

const root = dirname(import.meta.dirname);
const write = process.argv.includes("--write");
const differences: string[] = [];

for (const { name, folder, pattern, render } of generatedDocuments) {
  const wanted = render();
  // A renderer that makes nothing would agree with an empty folder.
  if (wanted.size === 0) throw new Error(`${name}: nothing was generated`);
  for (const [file, content] of wanted) compare(join(folder, file), content);
  for (const file of globSync(pattern, { cwd: join(root, folder) })) {
    if (!wanted.has(file)) remove(join(folder, file));
  }
}
if (differences.length > 0) {
  console.error(`${differences.join("\n")}\nRun: pnpm run generated:write`);
  process.exitCode = 1;
}

function compare(path: string, content: string): void {
  const file = join(root, path);
  const missing = !existsSync(file);
  if (!missing && readFileSync(file, "utf8") === content) return;
  if (write) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return;
  }
  differences.push(`${path} ${missing ? "is missing" : "is not what is generated today"}.`);
}

function remove(path: string): void {
  if (write) rmSync(join(root, path));
  else differences.push(`${path} is generated no more.`);
}
