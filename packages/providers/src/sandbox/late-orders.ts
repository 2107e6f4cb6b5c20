import type { DatabaseSync } from "node:sqlite";

import type { SandboxClock } from "./sandbox-clock.ts";
import { integer, text } from "./sandbox-database.ts";

/** What late orders stand on. */
export interface LateOrdersOptions {
  readonly database: DatabaseSync;
  readonly clock: SandboxClock;
  /** How long after the first question about it an order is carried out. */
  readonly lateMs: number;
}

/** Whose orders wait in which queue. */
export type LateProvider = "registrar" | "compute" | "registry";

/**
 * Orders that a provider took down and carries out later, although it holds nothing when asked meanwhile. Their time counts
 * from the first question: counted from the order, whoever waits so long for its answer would never hear "not held". They
 * wait in the sandbox's file: the core's death and restart change nothing about them. Nobody sees a provider but by asking
 * it, so it is enough that what is due is carried out before it is next asked. Every call is within a transaction: another process
 * may be about to carry the same orders out.
 */
export class LateOrders {
  readonly #options: LateOrdersOptions;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: LateOrdersOptions) {
    this.#options = options;
    this.#statements = prepare(options.database);
  }

  /**
   * Takes an order down. A repeat makes it neither later nor another one.
   *
   * @param id the same for every repeat.
   * @param name what it is asked about by.
   */
  takeDown(provider: LateProvider, id: string, name: string, content: string): void {
    this.#statements.insert.run(provider, id, name, content);
  }

  /** Somebody asks, and is told that nothing is held: from the first time on the order is on its way. */
  askedAbout(provider: LateProvider, name: string): void {
    const { clock, lateMs } = this.#options;
    this.#statements.send.run(clock.epochMilliseconds() + lateMs, provider, name);
  }

  /**
   * Hands out what is due, in the order in which it became due, each once.
   *
   * @param carryOut gets the order and when it was due, in milliseconds since 1970.
   */
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
