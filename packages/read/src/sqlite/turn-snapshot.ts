import { afterThisTurn } from "@hostledger/runtime/async";

import type { SqliteConnection } from "./sqlite-connection.ts";

/** Opens one read transaction for all queries of an event loop turn, because locking costs more than finding a row. */
export class TurnSnapshot {
  readonly #connection: SqliteConnection;
  #isOpen = false;

  /** @param connection exclusive to this snapshot, because all its queries between two calls belong to the snapshot. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  begin(): void {
    if (this.#isOpen) return;
    this.#connection.execute("begin");
    this.#isOpen = true;
    afterThisTurn(() => {
      this.end();
    });
  }

  /** Call before each write, so that later queries of the turn see the written rows. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A read transaction has nothing to commit.
    this.#connection.execute("rollback");
  }
}
