import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";
import { describe, expect, it } from "vitest";

/** No file and no name in the code uses a word that the last table of GLOSSARY.md retires. */

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** A retired word that is not retired in another meaning, and where it has that. */
interface OtherMeaning {
  readonly word: string;
  readonly where: RegExp;
  readonly meaning: string;
}

const otherMeanings: readonly OtherMeaning[] = [
  { word: "lines", where: /./, meaning: "positions of an invoice, or lines of text" },
  { word: "party", where: /^packages\/audit\/src\/documents\//, meaning: "EN 16931's seller and buyer" },
  { word: "bench", where: /^test\/bench\//, meaning: "the benchmark" },
  {
    word: "slots",
    where: /^packages\/audit\/src\/verification\/tables\//,
    meaning: "places of a hash table",
  },
  {
    word: "fact",
    where:
      /^host\/src\/backup\/|^test\/support\/upgrade\/|ledger-cli|account-events\.ts$|admin-account-show|account-admin|staff-permissions|postgres-subject-keys/,
    meaning: "a stored field, a printed heading, a tag of ledgers and an RPC keep their names",
  },
  { word: "slots", where: /^packages\/read\/src\/projector\//, meaning: "one for each projection" },
  { word: "turns", where: /^packages\/runtime\/src\/testing\//, meaning: "turns of the event loop" },
  { word: "turns", where: /^test\/bench\//, meaning: "turns of the event loop" },
  { word: "turns", where: /hand-over\.ts$/, meaning: "how long a rival was waited for, in appends" },
];

const files = globSync("{deploy,docs,gateway,host,packages,proto,services,test,tools}/**/*.*", {
  cwd: root,
  exclude: ["**/node_modules/**", "**/gen/**"],
});

/** Reads the table's first column, such as `react, reaction`; text in brackets limits the meaning. */
const retired = read("GLOSSARY.md")
  .replace(/^[^]*\n## Retired\n/, "")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .flatMap((line) => (line.split("|")[1] ?? "").replaceAll(/\([^)]*\)/g, "").split(","))
  .map((word) => word.trim());

/** Every form of a retired word, with that word. */
const forms = new Map(
  retired.flatMap((word) =>
    [word, `${word}s`, `${word}ed`, `${word}ing`, word.replace(/y$/, "ies")].map((form) => [form, word]),
  ),
);

/** The retired words in a name: `partyOf`, `#keeper`, `late-story.ts`, `TOLD_AT`. */
function retiredIn(name: string): readonly string[] {
  const words = name.split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^a-zA-Z]+/);
  return words.flatMap((word) => forms.get(word.toLowerCase()) ?? []);
}

function isMeant(word: string, file: string): boolean {
  return !otherMeanings.some((other) => other.word === word && other.where.test(file));
}

/** The names that a file gives; those that it only uses are others' to give. */
function namesGivenIn(file: string): readonly string[] {
  const text = read(file);
  if (retiredIn(text).length === 0) return [];
  const names: string[] = [];
  const walk = (node: ts.Node): void => {
    const isName = ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
    if (isName && isGiven(node)) names.push(node.text);
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return names;
}

function isGiven(name: ts.Identifier | ts.PrivateIdentifier): boolean {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent) || ts.isImportSpecifier(parent)) return false;
  return "name" in parent && parent.name === name;
}

describe("the retired words", () => {
  it("are read from the glossary, and found in names", () => {
    expect(retired.length).toBeGreaterThan(20);
    expect(files.length).toBeGreaterThan(1_000);
    const [word = ""] = retired;
    for (const name of [word, `#${word}Of`, `a-${word}.spec.ts`, `OPEN_${word.toUpperCase()}`])
      expect(retiredIn(name), name).toEqual([word]);
    expect(retiredIn(`${word}less`)).toEqual([]);
  });

  it("name no file and no folder", () => {
    const named = files.flatMap((file) =>
      retiredIn(file)
        .filter((word) => isMeant(word, file))
        .map((word) => `${file}: ${word}`),
    );
    expect(named).toEqual([]);
  });

  it("name nothing in the code", () => {
    const named = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        namesGivenIn(file).flatMap((name) =>
          retiredIn(name)
            .filter((word) => isMeant(word, file))
            .map((word) => `${file}: ${name} (${word})`),
        ),
      );
    expect(named).toEqual([]);
  });

  it("have another meaning only in listed files", () => {
    const unneeded = otherMeanings.filter(
      ({ word, where }) =>
        !files.some(
          (file) =>
            where.test(file) &&
            [file, ...(file.endsWith(".ts") ? namesGivenIn(file) : [])].some((name) =>
              retiredIn(name).includes(word),
            ),
        ),
    );
    expect(unneeded).toEqual([]);
  });
});
