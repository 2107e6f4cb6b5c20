import { existsSync } from "node:fs";
import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

import { counted } from "@hostledger/core";
import {
  documentFormats,
  documentPath,
  fileNameOf,
  listDocuments,
  openFileDocuments,
  type DocumentFileName,
  type StoredDocument,
} from "@hostledger/store/documents";
import {
  openFile,
  openSqliteSubjectKeys,
  subjectOfFile,
  type SubjectKeys,
} from "@hostledger/store/personal-data";

import { dataFiles } from "../data-files.ts";
import { BackupError } from "./backup-error.ts";

/** File of a run with the documents that came since the run before, because a list of millions of files would be too long. */
export const packName = "documents.sqlite";

const schema = `
  CREATE TABLE documents (
    id INTEGER NOT NULL, format TEXT NOT NULL, modified_ms INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (id, format)
  ) STRICT;
`;

/** Documents named in a sentence. */
const namedDocuments = 10;

interface Packing {
  readonly data: string;
  /** The new pack; none is made if no document came. */
  readonly to: string;
  readonly earlier: readonly string[];
}

/**
 * Copies the documents that no earlier pack has. Each is opened with its key: the set keeps no damaged copy in place of an
 * earlier right one.
 * @returns a sentence about damaged documents, if there are any
 */
export async function packDocuments({ data, to, earlier }: Packing): Promise<readonly string[]> {
  const packed = packedDocuments(earlier);
  const isNew = (file: StoredDocument): boolean => packed.get(fileNameOf(file)) !== markOf(file);
  const keys = openKeys(data);
  const damaged: string[] = [];
  let pack: DatabaseSync | undefined;
  try {
    for await (const file of listDocuments(join(data, dataFiles.documents))) {
      if (!isNew(file)) continue;
      const sealed = await readFile(file.path);
      if (!(await isWhole(file, sealed, keys))) {
        damaged.push(fileNameOf(file));
        continue;
      }
      pack ??= makePack(to);
      const values = [file.documentId, file.format, Math.round(file.modifiedMs), sealed];
      pack.prepare("INSERT INTO documents VALUES (?, ?, ?, ?)").run(...values);
    }
    pack?.exec("COMMIT");
  } finally {
    pack?.close();
    await keys?.close();
  }
  return damaged.length === 0 ? [] : [sentenceAbout(damaged, "do not open and are not in this set")];
}

/** Writes the documents of all packs below a data directory; of two copies of a document the later one. */
export async function unpackDocuments(data: string, packs: readonly string[]): Promise<void> {
  const directory = join(data, dataFiles.documents);
  const archive = await openFileDocuments(directory);
  for (const path of packs.toSorted().toReversed())
    for (const { sealed, modifiedMs, ...name } of rowsOf(path, "sealed")) {
      await archive.put(name, sealed);
      // A later backup into the same set finds the file unchanged.
      await utimes(join(directory, documentPath(name)), modifiedMs / 1_000, modifiedMs / 1_000);
    }
}

/** Returns a sentence that names the first of some files. */
export function sentenceAbout(files: readonly string[], problem: string): string {
  const names = files.slice(0, namedDocuments).join(", ");
  const more = files.length > namedDocuments ? ", …" : "";
  return `${counted(files.length, "file")} of archived documents ${problem}: ${names}${more}. See "DocumentsDamaged" in docs/runbook.md.`;
}

function openKeys(data: string): SubjectKeys | undefined {
  const path = join(data, dataFiles.subjectKeys);
  return existsSync(path) ? openSqliteSubjectKeys({ path }) : undefined;
}

/** Without the key this cannot be decided: the bytes of a destroyed key are unreadable. */
async function isWhole(
  file: StoredDocument,
  sealed: Uint8Array,
  keys: SubjectKeys | undefined,
): Promise<boolean> {
  const subject = subjectOfFile(sealed);
  if (subject === undefined) return false;
  const key = (await keys?.find([subject]))?.get(subject);
  const opened = openFile(sealed, key, fileNameOf(file));
  return "content" in opened || opened.problem === "destroyed";
}

/** An unchanged file has the same mark. */
function markOf({ modifiedMs, bytes }: Pick<StoredDocument, "modifiedMs" | "bytes">): string {
  return `${String(Math.round(modifiedMs))} ${String(bytes)}`;
}

/** Returns the marks of packed files by name. */
function packedDocuments(packs: readonly string[]): ReadonlyMap<string, string> {
  const marks = new Map<string, string>();
  for (const path of packs.toSorted())
    for (const row of rowsOf(path, "length(sealed) AS bytes")) marks.set(fileNameOf(row), markOf(row));
  return marks;
}

function makePack(path: string): DatabaseSync {
  const pack = new DatabaseSync(path);
  pack.exec(`PRAGMA journal_mode = OFF; ${schema} BEGIN`);
  return pack;
}

interface PackedDocument extends DocumentFileName {
  readonly modifiedMs: number;
  readonly bytes: number;
  readonly sealed: Uint8Array;
}

/** Reads the rows of a pack. @throws BackupError if a row names no document */
function* rowsOf(path: string, column: "sealed" | "length(sealed) AS bytes"): Generator<PackedDocument> {
  const pack = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = pack.prepare(`SELECT id, format, modified_ms, ${column} FROM documents ORDER BY id, format`);
    for (const row of rows.iterate()) yield packedDocument(row, path);
  } finally {
    pack.close();
  }
}

function packedDocument(row: Readonly<Record<string, SQLOutputValue>>, path: string): PackedDocument {
  const { id, format: extension, modified_ms: modifiedMs, sealed = new Uint8Array(), bytes = 0 } = row;
  const format = documentFormats.find((one) => one === extension);
  const isDocument = typeof id === "number" && Number.isSafeInteger(id) && id > 0;
  if (
    format === undefined ||
    !isDocument ||
    typeof modifiedMs !== "number" ||
    !(sealed instanceof Uint8Array)
  )
    throw new BackupError(`${path} holds something that is no document: it was changed.`);
  return { documentId: id, format, modifiedMs, sealed, bytes: Number(bytes) };
}
