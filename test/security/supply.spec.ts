import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { lintSource } from "@secretlint/core";
import { creator as recommended } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** Licences of the program's dependencies, and their documentation. */

const root = join(import.meta.dirname, "../..");

describe("licences", () => {
  const component = z.object({
    name: z.string(),
    version: z.string(),
    group: z.string().optional(),
    licenses: z
      .array(
        z.object({
          license: z.object({ id: z.string().optional() }).optional(),
          expression: z.string().optional(),
        }),
      )
      .optional(),
  });

  /** All of them let others use and pass on a program without opening its own source. OFL-1.1 is that of the fonts in PDFs. */
  const allowed = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "ISC",
    "MIT",
    "MIT-0",
    "OFL-1.1",
    "Zlib",
  ];
  /** These packages are not distributed: MPL concerns changes to its own files, and Python's licence is permissive. */
  const allowedInTests = ["MPL-2.0", "Python-2.0"];
  /** Packages that name their licence in a file alone, or leave the choice in words that are no SPDX expression. */
  const inFile: Readonly<Record<string, string>> = { ibantools: "MIT", "png-js": "MIT" };
  /** Packages that the benchmark compares with: their publications name no licence, and they are not distributed. */
  const peers = ["emmett", "emmett-postgresql", "pongo", "dumbo"];

  const componentsOf = (...options: readonly string[]) => {
    const pnpm = join(root, "node_modules/.bin/pnpm");
    const line = ["sbom", "--sbom-format", "cyclonedx", ...options];
    const bill = execFileSync(pnpm, line, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1_048_576 });
    const { components } = z.object({ components: z.array(component) }).parse(JSON.parse(bill));
    return components.filter(({ group }) => group !== "@hostledger");
  };
  const refusedOf = (
    components: readonly z.infer<typeof component>[],
    licences: readonly string[],
  ): readonly string[] =>
    components.flatMap(({ name, version, licenses = [] }) => {
      const said = licenses.map(({ license, expression }) => license?.id ?? expression ?? "").join(" AND ");
      const ids = (said === "" ? (inFile[name] ?? "") : said).replaceAll(/[()]/gu, "").split(" AND ");
      // If a package offers several licences, an allowed one is chosen.
      const isAllowed = (id: string) => id.split(" OR ").some((one) => licences.includes(one));
      return ids.every(isAllowed) ? [] : [`${name}@${version}: ${said || "no licence"}`];
    });

  it("of all distributed packages are allowed", () => {
    const shipped = componentsOf("--prod");
    expect(shipped.length).toBeGreaterThan(100);
    expect(refusedOf(shipped, allowed)).toEqual([]);
  });

  it("of all development packages are known", () => {
    const all = componentsOf();
    expect(all.length).toBeGreaterThan(300);
    const others = all.filter(({ group, name }) => group !== "@event-driven-io" || !peers.includes(name));
    expect(refusedOf(others, [...allowed, ...allowedInTests])).toEqual([]);
  });
});

describe("secrets", () => {
  const config = { rules: [{ id: "recommended", rule: recommended }] };
  const findings = async (filePath: string, content: string): Promise<readonly string[]> => {
    const source = { filePath, content, contentType: "text" } as const;
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    return messages.map(({ message }) => `${filePath}: ${message}`);
  };

  /** Passwords that are none: they are made up where they stand, or are the names of variables. */
  const madeUp = ["$postgres@postgres", "$gateway@postgres", "root:hunter2@db", "user:very-secret@db"];

  it("are in no committed file", async () => {
    const listed = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0");
    const files = listed.filter((file) => file !== "" && existsSync(join(root, file)));
    expect(files.length).toBeGreaterThan(1_000);
    const found: string[] = [];
    for (const file of files) {
      const bytes = readFileSync(join(root, file));
      if (!bytes.includes(0)) found.push(...(await findings(file, bytes.toString("utf8"))));
    }
    expect(found.filter((finding) => !madeUp.some((text) => finding.includes(text)))).toEqual([]);
  });

  it("would be found", async () => {
    // Put together here, so that the text of this file is none.
    const owner = ["postgres://owner", "s3cret@db.internal/ledger"].join(":");
    for (const secret of [`ghp_${"aB3".repeat(12)}`, owner])
      expect(await findings("a.txt", secret)).toHaveLength(1);
  });
});

describe("SECURITY.md", () => {
  const text = readFileSync(join(root, "SECURITY.md"), "utf8");
  const rows = text.split("\n").filter((line) => /^\| (?!Threat|-)/u.test(line));

  it("names a test that exists for every threat", () => {
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) {
      const [, , , tests = ""] = row.split("|");
      const files = [...tests.matchAll(/\]\((?<file>[^)]+)\)/gu)].map(({ groups }) => groups?.file ?? "");
      expect(files.length, row).toBeGreaterThan(0);
      for (const file of files) {
        expect(file).toMatch(/\.(?:e2e\.|int\.)?spec\.ts$/u);
        expect(existsSync(join(root, file)), file).toBe(true);
      }
    }
  });
});
