import { Worker } from "node:worker_threads";

import { ReadModelError } from "../errors.ts";

/** What the thread is given. */
export interface DdlJob {
  readonly path: string;
  readonly statements: readonly string[];
}

/** The data made a statement impossible (a unique index that does not hold); the database itself is well. */
export class RefusedStatementError extends Error {
  override readonly name = "RefusedStatementError";
}

/**
 * Runs statements such as CREATE INDEX, which take a second for a million rows, on a thread of their own: queries go
 * on meanwhile. Nobody else can write to the database then.
 *
 * @throws RefusedStatementError the data does not allow it.
 * @throws ReadModelError the database failed.
 */
export function executeInBackground(path: string, statements: readonly string[]): Promise<void> {
  const workerData: DdlJob = { path, statements };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./background-ddl.worker.ts", import.meta.url), {
      workerData,
    });
    worker.once("message", ({ message, databaseFailed }: { message: string; databaseFailed: boolean }) => {
      reject(databaseFailed ? new ReadModelError(`${path}: ${message}`) : new RefusedStatementError(message));
    });
    worker.once("error", reject);
    worker.once("exit", () => {
      resolve();
    });
  });
}
