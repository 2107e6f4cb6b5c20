import { Worker } from "node:worker_threads";

import { messageOf, openForReading } from "./database.ts";

/** How a store's file is looked at: `whole` compares its indexes with its tables, too. */
export type FileCheck = "quick" | "whole";

/** More clauses than this say nothing that these do not. */
const maximumProblems = 20;

/**
 * Looks at every page of a store's file, which may be in use, in a thread of its own. Its write-ahead log is not folded
 * meanwhile.
 * @returns a clause for each thing that SQLite finds wrong, at most 20
 */
export function checkStoreFile(path: string, how: FileCheck): Promise<readonly string[]> {
  const worker = new Worker(new URL("./file-check.worker.ts", import.meta.url), {
    workerData: `${how} ${path}`,
  });
  return new Promise((resolve) => {
    worker.once("error", (error) => {
      resolve([messageOf(error)]);
    });
    worker.once("message", (problems: readonly string[]) => {
      resolve(problems);
    });
  });
}

/** The check itself, on the thread of its caller. What cannot be read at all is a problem, too. */
export function checkDatabase(path: string, how: FileCheck): readonly string[] {
  try {
    const database = openForReading(path);
    try {
      const pragma = how === "whole" ? "integrity_check" : "quick_check";
      const rows = database.prepare(`PRAGMA ${pragma}(${String(maximumProblems)})`).all();
      // Several may stand in one row, a line each.
      const lines = rows.flatMap((row) => String(row[pragma]).split("\n"));
      return lines.filter((line) => line !== "ok" && line !== "").slice(0, maximumProblems);
    } finally {
      database.close();
    }
  } catch (error) {
    return [messageOf(error)];
  }
}
