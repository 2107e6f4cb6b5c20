import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { errorCodeOf } from "@hostledger/runtime";

import { filesBelow } from "./files-below.ts";

/** Every row of every read model of a closed instance, without the positions that each store counts for itself. */
export function readModelsOf(data: string): Readonly<Record<string, unknown>> {
  const folder = join(data, "read-models");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite"));
  if (files.length < 4) throw new Error(`${folder} has ${String(files.length)} read models`);
  return Object.fromEntries(files.map((name) => [name, rowsOf(join(folder, name))]));
}

function rowsOf(file: string): Readonly<Record<string, unknown>> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database
      .prepare(
        `select name from sqlite_schema where type = 'table' and name not like 'kysely%'
         and name not in ('read_models', 'checkpoints', 'notice_progress', 'work_failures') order by name`,
      )
      .all()
      .map(({ name }) => String(name));
    if (tables.length === 0) throw new Error(`${file} has no tables`);
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database.prepare(`select * from "${table}" order by 1, 2`).all().map(asProjected),
      ]),
    );
  } finally {
    database.close();
  }
}

/** Leaves out the due time, which depends on the last look at the work. */
function asProjected({ due_at: _, awaits_funds: _funds, ...row }: Readonly<Record<string, unknown>>): object {
  return row;
}

/** Maximum repeated searches of the files. */
const searches = 10;

/**
 * Returns the files below a directory that contain one of the texts, each as `file: text`. If a running instance
 * renames or removes a file meanwhile, all files are searched again, because its content may have moved.
 */
export function filesWith(directory: string, texts: readonly string[]): readonly string[] {
  for (let search = 1; ; search += 1)
    try {
      return filesFound(directory, texts);
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT" || search === searches) throw error;
    }
}

function filesFound(directory: string, texts: readonly string[]): readonly string[] {
  return filesBelow(directory).flatMap((path) => {
    const bytes = readFileSync(path);
    return texts.filter((text) => bytes.includes(text)).map((text) => `${basename(path)}: ${text}`);
  });
}
