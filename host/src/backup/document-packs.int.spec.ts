import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { directoryOfTest } from "@hostledger/runtime/testing";
import {
  documentPath,
  fileNameOf,
  openFileDocuments,
  type DocumentFileName,
} from "@hostledger/store/documents";
import { openSqliteSubjectKeys, sealFile } from "@hostledger/store/personal-data";
import { describe, expect, it } from "vitest";

import { packDocuments, unpackDocuments } from "./document-packs.ts";

const subject = "retention-7-2034";
const pdf = { documentId: 1, format: "pdf" } as const;
const xml = { documentId: 1, format: "xml" } as const;
const later = { documentId: 2_345, format: "pdf" } as const;

/** A data directory with documents, and a set beside it. */
function place() {
  const root = directoryOfTest();
  const data = join(root, "data");
  let runs = 0;
  const packs: string[] = [];
  const pathOf = (name: DocumentFileName): string => join(data, "documents", documentPath(name));
  return {
    data,
    packs,
    pathOf,
    async store(name: DocumentFileName): Promise<void> {
      const keys = openSqliteSubjectKeys({ path: join(data, "subject-keys.sqlite") });
      const key = await keys.obtain(subject);
      await keys.close();
      if (key === "destroyed") throw new Error("destroyed");
      const owner = { subject, field: fileNameOf(name) };
      const archive = await openFileDocuments(join(data, "documents"));
      await archive.put(name, sealFile(Buffer.from(`content of ${owner.field}`), key, owner));
    },
    async pack(): Promise<readonly string[]> {
      runs += 1;
      const to = join(root, `pack-${String(runs)}.sqlite`);
      const notices = await packDocuments({ data, to, earlier: packs });
      if (existsSync(to)) packs.push(to);
      return notices;
    },
    async unpack(): Promise<string> {
      runs += 1;
      const restored = join(root, `restored-${String(runs)}`);
      await unpackDocuments(restored, packs);
      return restored;
    },
  };
}

describe("documents in a backup", () => {
  it("are copied by the next run, once, and restored for their owner alone", async () => {
    const { data, packs, pack, unpack, store, pathOf } = place();
    expect(await pack()).toEqual([]);
    await store(pdf);
    await store(xml);
    await pack();
    await store(later);
    await pack();
    await pack();
    expect(packs.map((path) => path.slice(-13))).toEqual(["pack-2.sqlite", "pack-3.sqlite"]);

    const restored = await unpack();
    for (const name of [pdf, xml, later]) {
      const path = join(restored, "documents", documentPath(name));
      expect(readFileSync(path)).toEqual(readFileSync(pathOf(name)));
      expect(statSync(path).mode & 0o077).toBe(0);
    }
    rmSync(data, { recursive: true });
    expect(await packDocuments({ data: restored, to: join(restored, "more"), earlier: packs })).toEqual([]);
    expect(readdirSync(restored)).toEqual(["documents"]);
  });

  it("are reported if they are damaged, and an earlier right copy stays", async () => {
    const { pack, unpack, store, pathOf } = place();
    await store(pdf);
    await pack();
    const right = readFileSync(pathOf(pdf));
    writeFileSync(pathOf(pdf), Buffer.concat([right, Buffer.of(0)]));
    await store(xml);
    writeFileSync(pathOf(xml), "nothing that was sealed");

    expect(await pack()).toEqual([
      '2 files of archived documents do not open and are not in this set: document-1.pdf, document-1.xml. See "DocumentsDamaged" in docs/runbook.md.',
    ]);
    const restored = await unpack();
    expect(readFileSync(join(restored, "documents", documentPath(pdf)))).toEqual(right);
    expect(existsSync(join(restored, "documents", documentPath(xml)))).toBe(false);
  });

  it("lead out of no directory", async () => {
    const { packs, pack, unpack, store } = place();
    await store(pdf);
    await pack();
    const database = new DatabaseSync(packs[0] ?? "");
    database.exec("UPDATE documents SET format = '/../../../stolen'");
    database.close();
    await expect(unpack()).rejects.toThrow(/holds something that is no document: it was changed\.$/u);
  });
});
