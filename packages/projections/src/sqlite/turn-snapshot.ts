import { afterThisTurn } from "@hostledger/runtime/async";

import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * One snapshot for all queries of a turn of the event loop. Each query on its own takes a lock of the file and gives it back, two
 * calls of the system, which cost more than to find a row; under load a turn has dozens of queries.
 */
export class TurnSnapshot {
  readonly #connection: SqliteConnection;
  #isOpen = false;

  /** @param connection nobody else's: what it is asked between two calls belongs to the snapshot. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Call it before each query. */
  begin(): void {
    if (this.#isOpen) return;
    this.#connection.execute("begin");
    this.#isOpen = true;
    afterThisTurn(() => {
      this.end();
    });
  }

  /** Call it before each write: whoever asks next, in the same turn too, sees what was written. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // There is nothing to commit.
    this.#connection.execute("rollback");
  }
}
