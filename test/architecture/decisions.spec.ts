import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Each decision has a number of its own and a line in the index, and each reference names a decision that exists. */

const root = fileURLToPath(import.meta.resolve("../../"));
const files = readdirSync(`${root}docs/adr`).filter((name) => /^\d{4}-/.test(name));
const numbers = files.map((name) => name.slice(0, 4));

describe("decisions", () => {
  it("have unique numbers in their titles", () => {
    expect(files.length).toBeGreaterThan(30);
    expect(numbers).toEqual([...new Set(numbers)]);
    const headings = files.map((name) => readFileSync(`${root}docs/adr/${name}`, "utf8").slice(0, 8));
    expect(headings).toEqual(numbers.map((number) => `# ${number}. `));
  });

  it("are in the index, once each", () => {
    const index = readFileSync(`${root}docs/adr/README.md`, "utf8");
    const listed = [...index.matchAll(/^\| \[(\d{4})\]\((\d{4}-[^)]+)\) +\|/gm)].map(([, , file]) => file);
    expect(listed.toSorted()).toEqual(files.toSorted());
  });

  it("exist if a document or a comment refers to them", () => {
    const texts = globSync("{*.md,docs/**/*.md,{packages,services,gateway,host,test,tools}/**/*.{ts,md}}", {
      cwd: root,
      exclude: (path) => path.includes("node_modules"),
    });
    const missing = texts.flatMap((path) =>
      [...readFileSync(root + path, "utf8").matchAll(/\bADR (\d{4})\b|\badr\/(\d{4})\b/g)]
        .map(([, named, linked]) => named ?? linked ?? "")
        .filter((number) => !numbers.includes(number))
        .map((number) => `${path}: ${number}`),
    );
    expect(texts.length).toBeGreaterThan(1_000);
    expect(missing).toEqual([]);
  });
});
