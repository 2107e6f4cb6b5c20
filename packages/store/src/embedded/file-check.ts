import { Worker } from "node:worker_threads";

import { messageOf, openForReading } from "./database.ts";

/** Extent of a check: `whole` also compares indexes with tables. */
export type FileCheck = "quick" | "whole";

const maximumProblems = 20;

/**
 * Checks every page of a store's file in a thread of its own. The file may be in use; its write-ahead log is not
 * checkpointed meanwhile.
 * @returns a clause for each problem that SQLite finds, at most 20
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

/** Checks the file on the caller's thread. A file that cannot be read is a problem too. */
export function checkDatabase(path: string, how: FileCheck): readonly string[] {
  try {
    const database = openForReading(path);
    try {
      const pragma = how === "whole" ? "integrity_check" : "quick_check";
      const rows = database.prepare(`PRAGMA ${pragma}(${String(maximumProblems)})`).all();
      // One row may have several problems, one per line.
      const lines = rows.flatMap((row) => String(row[pragma]).split("\n"));
      return lines.filter((line) => line !== "ok" && line !== "").slice(0, maximumProblems);
    } finally {
      database.close();
    }
  } catch (error) {
    return [messageOf(error)];
  }
}
