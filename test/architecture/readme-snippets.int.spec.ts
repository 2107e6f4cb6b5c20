import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";

import {
  isIdentifier,
  isPath,
  isThere,
  linksIn,
  namesIn,
  problemsOf,
  readmesOf,
  snippetsOf,
  wordsOfSources,
} from "./readmes.ts";

/** The READMEs of packages, services, gateway and host describe existing things. */

const root = join(import.meta.dirname, "../..");
const readmes = readmesOf(root);
const snippets = readmes.flatMap((readme) => snippetsOf(root, readme));
const temporary = temporaryDirectory();

afterAll(() => {
  temporary.remove();
});

describe("the code in READMEs", () => {
  it("exists", () => {
    expect(readmes.length).toBeGreaterThan(20);
    expect(snippets.length).toBeGreaterThanOrEqual(5);
  });

  it("compiles, and would not with an unknown name", () => {
    const [first] = snippets;
    if (first === undefined) throw new Error("there is no snippet");
    const wrong = { ...first, text: first.text.replace(/import \{ \w+/, "import { noSuchThing") };
    const found = problemsOf(root, [...snippets, wrong]);
    expect(found).toContainEqual(expect.stringContaining("noSuchThing"));
    const file = found.find((problem) => problem.includes("noSuchThing"))?.split(":")[0] ?? "";
    expect(found.filter((problem) => !problem.startsWith(`${file}:`))).toEqual([]);
  });

  it.each(snippets)("runs and prints its documented output: $name", ({ folder, text, prints }) => {
    // Without a line to print, a snippet would pass by doing nothing.
    expect(prints).not.toEqual([]);
    const printed = execFileSync(process.execPath, ["--eval", text], {
      cwd: join(root, folder),
      env: { ...process.env, TMPDIR: temporary.path },
      encoding: "utf8",
    });
    // A line within a loop prints as often as the loop runs.
    expect([...new Set(printed.trimEnd().split("\n"))]).toEqual(prints);
  });
});

describe.each(readmes)("%s", (readme) => {
  it("names existing files and folders", () => {
    const paths = [...namesIn(root, readme).filter(isPath), ...linksIn(root, readme)];
    expect(paths.filter((path) => !isThere(root, readme, path))).toEqual([]);
  });
});

describe("the names in READMEs", () => {
  const words = wordsOfSources(root);
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

  it("are names of the code", () => {
    const named = readmes.flatMap((readme) => namesIn(root, readme).filter(isIdentifier));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !words.has(name))).toEqual([]);
  });

  it("are scripts of the workspace if they are commands of pnpm", () => {
    const commands = readmes
      .flatMap((readme) => namesIn(root, readme))
      .flatMap((name) => [...name.matchAll(/\bpnpm (?:run )?([\w:]+)/g)].map(([, script = ""]) => script));
    expect(commands).not.toEqual([]);
    expect(commands.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});
