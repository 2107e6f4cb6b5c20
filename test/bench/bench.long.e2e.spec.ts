import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { rowResultSchema } from "./harness/result.ts";
import { rows } from "./rows.ts";

const program = fileURLToPath(new URL("run.ts", import.meta.url));
const run = promisify(execFile);
const reportSchema = z.object({
  machine: z.object({ cores: z.int().positive(), syncMs: z.number().positive() }),
  rows: z.array(rowResultSchema.extend({ letter: z.string() })),
});

/** A smoke run: it says that every row still measures something, and nothing about how fast that is. */
describe("pnpm bench --quick", () => {
  const directory = temporaryDirectory();
  let table = "";
  let report: z.infer<typeof reportSchema>;

  beforeAll(async () => {
    const json = join(directory.path, "bench.json");
    const { stdout } = await run(process.execPath, [program, "--quick", "--json", json]);
    table = stdout;
    report = reportSchema.parse(JSON.parse(readFileSync(json, "utf8")));
  });
  afterAll(() => {
    directory.remove();
  });

  it("has every row, each line beside its baseline", () => {
    expect(report.rows.map(({ letter }) => letter)).toEqual(rows.map(({ letter }) => letter));
    for (const { lines } of report.rows) {
      expect(lines.length).toBeGreaterThan(0);
      for (const { ours, baseline } of lines) {
        // The report's schema takes numbers alone; how large they are depends on the machine.
        expect(ours.length).toBeGreaterThan(0);
        expect(baseline.samples.length).toBeGreaterThan(0);
      }
    }
  });

  it("prints one table: the machine, every line, the notes", () => {
    expect(table).toMatch(/^\s*\d+ cores \(.+\), .+ Node v\d+.*, fdatasync of 4 KiB \d+\.\d\d ms/);
    for (const { letter, lines, notes } of report.rows) {
      for (const { subject } of lines) expect(table).toContain(`(${letter})  ${subject}`);
      for (const note of notes) expect(table).toContain(`(${letter}) ${note}`);
    }
  });

  it("explains where the time goes if a rate misses its aim", () => {
    for (const { lines, notes } of report.rows) {
      const missed = lines.filter(({ subject, aim }) => subject.endsWith("/s") && aim?.met === false);
      if (missed.length > 0) expect(notes.join("\n")).toMatch(/\d+ %/);
    }
  });
});

it("refuses a row that it does not have", async () => {
  await expect(run(process.execPath, [program, "speed"])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no row speed"),
  });
});
