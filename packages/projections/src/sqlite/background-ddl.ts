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
 * on meanwhile. The database can be written by nobody else then, so close its {@link WriteGate} around it.
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

/** Holds up the projectors of a database while a thread of its own writes to it; their own writes cannot await. */
export class WriteGate {
  #closed: Promise<unknown> | undefined;

  /** Undefined while writing is allowed, else settles when it may be again. */
  get closed(): Promise<unknown> | undefined {
    return this.#closed;
  }

  /** Keeps the gate closed while `work` runs. */
  async during(work: () => Promise<void>): Promise<void> {
    const running = work();
    this.#closed = running.catch(() => undefined);
    try {
      await running;
    } finally {
      this.#closed = undefined;
    }
  }
}
