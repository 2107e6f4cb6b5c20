import type { DatabaseSync } from "node:sqlite";

import { untilFree, whileBusy } from "@hostledger/runtime";
import { afterThisTurn } from "@hostledger/runtime/async";

import { longestWaitMs, writing } from "./sandbox-database.ts";

interface Request {
  /** @returns function that answers the caller, called after the commit */
  readonly carryOut: () => () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Runs all requests of one turn of the event loop in one transaction, because a commit costs as much as ten writes.
 * Several processes share the file. Decisions read within the transaction, which is short; while another process holds
 * the file, this one continues other work.
 */
export class TurnTransaction {
  readonly #database: DatabaseSync;
  readonly #waitMs: number;
  #waiting: Request[] = [];

  /** @param waitMs maximum wait for other processes before requests fail */
  constructor(database: DatabaseSync, waitMs = longestWaitMs) {
    this.#database = database;
    this.#waitMs = waitMs;
  }

  /**
   * Runs a request at the end of this turn; resolves after the commit, because an earlier answer could be lost if the
   * process dies.
   *
   * @returns rejects with the request's error, or if the file is locked or the commit fails.
   */
  within<Answer>(request: () => Answer): Promise<Answer> {
    return new Promise((resolve, fail) => {
      const carryOut = (): (() => void) => {
        const answer = request();
        return () => {
          resolve(answer);
        };
      };
      if (this.#waiting.push({ carryOut, fail }) === 1) afterThisTurn(() => void this.#whenFree());
    });
  }

  /** Runs a request at once, blocking the thread. @throws the request's error; Error if the file is locked */
  now<Answer>(request: () => Answer): Answer {
    return whileBusy(this.#waitMs, () => {
      this.#carryOut();
      return writing(this.#database, request);
    });
  }

  /** Runs the waiting requests now instead of at the end of the event loop's turn. */
  flush(): void {
    try {
      whileBusy(this.#waitMs, () => {
        this.#carryOut();
      });
    } catch (error) {
      failAll(this.#take(), error);
    }
  }

  async #whenFree(): Promise<void> {
    try {
      await untilFree(this.#waitMs, () => {
        this.#carryOut();
      });
    } catch (error) {
      failAll(this.#take(), error);
    }
  }

  /** @throws SQLite's error if the file is locked; requests stay waiting. */
  #carryOut(): void {
    if (this.#waiting.length === 0) return;
    let requests: readonly Request[] = [];
    try {
      const answers = writing(this.#database, () => {
        requests = this.#take();
        return requests.map(attempt);
      });
      for (const answer of answers) answer();
    } catch (error) {
      if (requests.length === 0) throw error;
      failAll(requests, error);
    }
  }

  #take(): readonly Request[] {
    const requests = this.#waiting;
    this.#waiting = [];
    return requests;
  }
}

/** Runs a request; an error goes to its own caller only. */
function attempt({ carryOut, fail }: Request): () => void {
  try {
    return carryOut();
  } catch (error) {
    return () => {
      fail(error);
    };
  }
}

function failAll(requests: readonly Request[], error: unknown): void {
  for (const { fail } of requests) fail(error);
}
