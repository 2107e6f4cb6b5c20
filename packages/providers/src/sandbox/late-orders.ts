import type { DatabaseSync } from "node:sqlite";

import type { SandboxClock } from "./sandbox-clock.ts";
import { integer, text } from "./sandbox-database.ts";

export interface LateOrdersOptions {
  readonly database: DatabaseSync;
  readonly clock: SandboxClock;
  /** Milliseconds from the first question about an order until it is carried out. */
  readonly lateMs: number;
}

/** Queue of late orders. */
export type LateProvider = "registrar" | "compute" | "payments" | "refunds" | "registry";

/**
 * Orders that a simulated provider carries out later although it reports "not held" meanwhile. Their time counts from
 * the first question, because otherwise a caller waiting as long for the answer would never see "not held". They are
 * stored in the sandbox's file, unaffected by the core's restarts. Due orders are carried out before the next question,
 * which suffices. Every call runs in a transaction, because another process may carry out the same orders.
 */
export class LateOrders {
  readonly #options: LateOrdersOptions;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: LateOrdersOptions) {
    this.#options = options;
    this.#statements = prepare(options.database);
  }

  /** Stores an order; a repeat changes nothing. @param id equal for every repeat @param name of its subject */
  takeDown(provider: LateProvider, id: string, name: string, content: string): void {
    this.#statements.insert.run(provider, id, name, content);
  }

  /** Starts the time of a name's orders at the first question that reports "not held". */
  askedAbout(provider: LateProvider, name: string): void {
    const { clock, lateMs } = this.#options;
    this.#statements.send.run(clock.epochMilliseconds() + lateMs, provider, name);
  }

  /** Passes on due orders once, in order. @param carryOut receives the order and its due time (ms since 1970) */
  carryOutDue(provider: LateProvider, carryOut: (content: string, dueAtMs: number) => void): void {
    const nowMs = this.#options.clock.epochMilliseconds();
    for (const row of this.#statements.due.all(provider, nowMs)) {
      this.#statements.remove.run(provider, text(row, "id"));
      carryOut(text(row, "content"), integer(row, "due_at_ms"));
    }
  }
}

function prepare(database: DatabaseSync) {
  return {
    insert: database.prepare("INSERT INTO late_order VALUES (?, ?, ?, NULL, ?) ON CONFLICT DO NOTHING"),
    send: database.prepare(
      "UPDATE late_order SET due_at_ms = ? WHERE party = ? AND name = ? AND due_at_ms IS NULL",
    ),
    due: database.prepare(
      "SELECT * FROM late_order WHERE party = ? AND due_at_ms <= ? ORDER BY due_at_ms, id",
    ),
    remove: database.prepare("DELETE FROM late_order WHERE party = ? AND id = ?"),
  };
}
