import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

/** Rules of the house about files and words; those about code are the linter's, those about imports are the graph's. */

const root = join(import.meta.dirname, "../..");
// Uncommitted files: `pnpm run sbom` writes the last one.
const exclude = ["**/node_modules/**", "**/gen/**", "data/**", "coverage/**", "hostledger.cdx.json"];
const filesLike = (...patterns: string[]): string[] => globSync(patterns, { cwd: root, exclude });

const code = filesLike("{packages,services,gateway,host,test,tools}/**/*.ts");
const specs = code.filter((file) => file.endsWith(".spec.ts"));
const texts = [
  ...code,
  ...filesLike(
    "**/*.md",
    "**/package.json",
    "*.{json,js,yaml,ts}",
    "tools/*",
    ".ci/*",
    "proto/**/*.proto",
    "hostledger",
  ),
];

/** Words put together here, so that this file does not break its own rules. */
const pattern = (...parts: string[]): RegExp => new RegExp(parts.join(""));

function linesWith(forbidden: RegExp): string[] {
  return [...new Set(texts)].flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        forbidden.test(line) ? [`${file}:${String(index + 1)}: ${line.trim()}`] : [],
      ),
  );
}

describe("the house rules", () => {
  it("see the files", () => {
    expect(code.length).toBeGreaterThan(200);
    expect(specs.length).toBeGreaterThan(50);
  });

  it("name files in kebab-case, with their role as a suffix", () => {
    const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*\.ts$/;
    expect(code.filter((file) => !name.test(basename(file)))).toEqual([]);
  });

  it("place a spec beside its subject", () => {
    const inSource = specs.filter((file) => /^(packages|services|gateway|host)\//.test(file));
    const alone = inSource.filter((spec) => {
      const neighbours = code.filter((file) => dirname(file) === dirname(spec));
      return neighbours.every((file) => file.endsWith(".spec.ts"));
    });
    expect(alone).toEqual([]);
  });

  it("leave nothing for later", () => {
    expect(linesWith(pattern("\\b(TO", "DO|FIX", "ME|XX", "X)\\b"))).toEqual([]);
  });

  it("name no machine, no home and no registry", () => {
    expect(linesWith(pattern("(^|[^\\w.])/(wo", "rk|ho", "me|ro", "ot|Us", "ers)/[a-z]"))).toEqual([]);
    expect(linesWith(pattern("regis", "try\\.[a-z0-9-]+\\.[a-z]+"))).toEqual([]);
    expect(filesLike("**/.npmrc")).toEqual([]);
  });

  it("take every version from the catalogue", () => {
    const manifests = filesLike("{packages,services}/*/package.json", "{gateway,host}/package.json");
    const own = manifests.flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .filter((line) => /"[\^~]?\d+\.\d+\.\d+[^"]*"/.test(line) && !line.includes('"version"'))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(own).toEqual([]);
  });
});
