import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { bundle } from "./bundle.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let folder: string;

beforeEach(() => {
  directory = temporaryDirectory();
  folder = join(directory.path, "bundles/here");
  mkdirSync(join(directory.path, "source"));
});

afterEach(() => {
  directory.remove();
});

function source(name: string, text: string): string {
  const path = join(directory.path, "source", name);
  writeFileSync(path, text);
  return path;
}

const run = (name: string): string =>
  execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8" });

describe("a bundle", () => {
  it("needs no module from its source directory, and reads other files there", async () => {
    const greeting = source("greeting.ts", "export const greeting: string = 'hello';");
    source("page.txt", "a page");
    const program = source(
      "program.ts",
      `import { readFileSync } from "node:fs";
      import { greeting } from "./greeting.ts";
      console.log(greeting, readFileSync(new URL("./page.txt", import.meta.url), "utf8"));`,
    );
    await bundle({ program }, folder);
    writeFileSync(greeting, "throw new Error('it was loaded');");
    expect(run("program.mjs")).toBe("hello a page\n");
  });

  it("has its threads with it", async () => {
    const said = source("said.ts", "export const said: string = 'from a thread';");
    source("speaking.worker.ts", 'import { said } from "./said.ts"; console.log(said);');
    const program = source(
      "program.ts",
      `import { Worker } from "node:worker_threads";
      new Worker(new URL("./speaking.worker.ts", import.meta.url));`,
    );
    await bundle({ program }, folder);
    writeFileSync(said, "throw new Error('it was loaded');");
    expect(run("program.mjs")).toBe("from a thread\n");
  });

  it("replaces the one before: equal files stay, and files of the old one go", async () => {
    source("part.ts", "export const part = 1;");
    const one = source("one.ts", 'console.log(await import("./part.ts"));');
    const other = source("other.ts", "console.log(2);");
    await bundle({ one, other }, folder);
    const before = readdirSync(folder);
    const { ino } = statSync(join(folder, "other.mjs"));

    source("part.ts", "export const part = 3;");
    await bundle({ one, other }, folder);
    const after = readdirSync(folder);
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
    expect(statSync(join(folder, "other.mjs")).ino).toBe(ino);
    expect(run("one.mjs")).toContain("part: 3");
  });

  it("is not created from invalid sources, and leaves the one before", async () => {
    const program = source("program.ts", "console.log(1);");
    await bundle({ program }, folder);
    source("program.ts", "console.log(;");
    await expect(bundle({ program }, folder)).rejects.toThrow(/program\.ts/);
    expect(readFileSync(join(folder, "program.mjs"), "utf8")).toContain("console.log(1)");
  });
});
