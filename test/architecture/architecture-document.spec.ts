import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

/** ARCHITECTURE.md and GLOSSARY.md name only existing things. */

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("ARCHITECTURE.md", () => {
  const named = [...read("ARCHITECTURE.md").matchAll(/`([a-z-]+\/[^`\s]+\.(?:ts|md))`/g)].map(
    ([, file = ""]) => file,
  );

  it("names files", () => {
    expect(named.length).toBeGreaterThan(30);
  });

  it("names files that exist", () => {
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("follows a registration through about thirty of them", () => {
    const rows = [...read("ARCHITECTURE.md").matchAll(/^\| (\d+)\. .*$/gm)];
    const steps = rows.map(([, step]) => Number(step));
    expect(steps).toEqual(Array.from(steps, (_, index) => index + 1));
    expect(steps.length).toBeLessThanOrEqual(30);
    const passed = rows.flatMap(([row]) => [...row.matchAll(/`([^`]+\.ts)`/g)].map(([, file]) => file));
    expect(new Set(passed).size).toBe(passed.length);
    expect(passed.length).toBeLessThanOrEqual(35);
  });
});

describe("GLOSSARY.md", () => {
  const terms = [...read("GLOSSARY.md").matchAll(/^\| ([^|]+?) +\| [^|]+\| [^|]+\|$/gm)]
    .map(([, term = ""]) => term)
    .filter((term) => term !== "Term" && !term.startsWith("-"));

  it("gives each term one line", () => {
    const words = terms.flatMap((term) => term.split(", "));
    expect(words.length).toBeGreaterThan(40);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });
});
