import type { DatabaseSync } from "node:sqlite";

import { untilFree, whileBusy } from "@hostledger/runtime";
import { afterThisTurn } from "@hostledger/runtime/async";

import { longestWaitMs, writing } from "./sandbox-database.ts";

interface Request {
  /** @returns what answers it, to be called once what it wrote is kept. */
  readonly carryOut: () => () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Carries out what is asked of the providers in one turn of the event loop, in one transaction: a commit costs as much as ten writes.
 * Several processes share the sandbox's file. What is decided upon is read within the transaction, which lasts no longer than the
 * requests take, and while another process has the file, this one does other things.
 */
export class TurnTransaction {
  readonly #database: DatabaseSync;
  readonly #waitMs: number;
  #waiting: Request[] = [];

  /** @param waitMs how long others may have the file, before what waits for it fails. */
  constructor(database: DatabaseSync, waitMs = longestWaitMs) {
    this.#database = database;
    this.#waitMs = waitMs;
  }

  /**
   * Carries a request out when this turn is over. Settles once what it wrote is kept: were anybody answered before, the death of the
   * process could take back what was said.
   *
   * @returns rejects with what the request throws, and where the file is not to be had or does not keep it.
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

  /**
   * Carries a request out at once, after those that wait. It is for whoever cannot wait: the thread does nothing else meanwhile.
   *
   * @throws what the request throws; Error where the file is not to be had or does not keep it.
   */
  now<Answer>(request: () => Answer): Answer {
    return whileBusy(this.#waitMs, () => {
      this.#carryOut();
      return writing(this.#database, request);
    });
  }

  /** Carries out at once what waits. */
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

  /** @throws Error of SQLite's where the file is not to be had: what waits goes on waiting. */
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

/** One that throws is told so itself; the others of its turn are carried out. */
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
