import type { DatabaseSync } from "node:sqlite";

import { afterThisTurn } from "@hostledger/runtime/async";

import { beginWriting } from "./sandbox-database.ts";

/**
 * Several processes share the sandbox's file. What a provider decides upon must be read after `begin`, or another process may
 * change it before the write.
 *
 * Commits everything that is written in one turn of the event loop together: a commit costs as much as ten writes, and
 * under load many orders arrive in one turn. Nobody may be answered before `committed`, or the death of the process
 * could take back what was said.
 */
export class TurnTransaction {
  readonly #database: DatabaseSync;
  #open: PromiseWithResolvers<undefined> | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Call it before each write, and before the reading that the write depends on. */
  begin(): void {
    if (this.#open !== undefined) return;
    beginWriting(this.#database);
    this.#open = Promise.withResolvers();
    // An order that nobody is answered about leaves this promise unused; a failed commit is then told to nobody.
    this.#open.promise.catch(() => undefined);
    afterThisTurn(() => {
      this.commit();
    });
  }

  /** Settles when everything seen so far is on disk; undefined when it is already. Rejects when the commit fails. */
  committed(): Promise<unknown> | undefined {
    return this.#open?.promise;
  }

  /** Ends the turn's transaction, if there is one. */
  commit(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    try {
      this.#database.exec("COMMIT");
      open.resolve(undefined);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      open.reject(error);
    }
  }
}
