import type { DatabaseSync } from "node:sqlite";

import { addYears } from "@hostledger/core";

import { done, refused, type Outcome } from "../outcome.ts";
import type {
  RegistrarDomain,
  TransferOrder,
  TransferOutcome,
  TransferRefusalReason,
  TransferState,
} from "../registrar/registrar.port.ts";
import { behaviourOf } from "./labels.ts";
import { instantOf } from "./sandbox-clock.ts";
import { integer, text, type Row } from "./sandbox-database.ts";
import type { SandboxDomains } from "./sandbox-domains.ts";

/** The authInfo that every simulated losing registrar accepts. */
export const codeElsewhere = "let-me-go";

/** Registrar that holds the names containing `elsewhere`. */
export const elsewhere = "elsewhere";

const day = 86_400_000;

/** A transfer between two registrars. */
export interface RegistryTransfer {
  readonly name: string;
  readonly clientTransactionId: string;
  readonly gaining: string;
  readonly losing: string;
  /** Milliseconds since 1970, like `answeredAtMs`. */
  readonly requestedAtMs: number;
  /** Time of the losing registrar's answer, or the registry's default answer; pending until then. */
  readonly answeredAtMs: number;
  /** True if the answer is an approval. */
  readonly release: boolean;
}

/** Transfers to the simulated registrar. Every call runs in a transaction. */
export class SandboxTransfers {
  readonly #domains: SandboxDomains;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(database: DatabaseSync, domains: SandboxDomains) {
    this.#domains = domains;
    this.#statements = prepare(database);
  }

  /** Accepts an order unless it is a repeat or impossible. @param nowMs milliseconds since 1970 */
  request({ clientTransactionId, name, authCode: given }: TransferOrder, nowMs: number): TransferOutcome {
    const losing = behaviourOf(name).elsewhere;
    const earlier = this.state(name);
    if (earlier.state !== "none" && earlier.clientTransactionId === clientTransactionId)
      return outcomeOf(earlier);
    if (this.#domains.isRegistered(name) || losing === null)
      return refuse("not-transferable", `No other registrar holds ${name}.`);
    if (this.find(name)?.isPending === true)
      return refuse("rejected", `Another transfer of ${name} is pending.`);
    if (given !== codeElsewhere) return refuse("invalid-auth-code", `The auth code of ${name} is wrong.`);
    this.place({
      name,
      clientTransactionId,
      gaining: "sandbox",
      losing: elsewhere,
      requestedAtMs: nowMs,
      answeredAtMs: nowMs + losing.answersAfterMs,
      release: losing.release,
    });
    return { outcome: "pending" };
  }

  /** Stores a transfer, replacing the earlier one. */
  place({ name, clientTransactionId, ...transfer }: RegistryTransfer): void {
    const { answeredAtMs, release, gaining, losing, requestedAtMs } = transfer;
    const times = [answeredAtMs, Number(release), gaining, losing, requestedAtMs] as const;
    this.#statements.replace.run(name, clientTransactionId, ...times);
  }

  /** Returns the latest transfer of a domain, and whether it is unprocessed. */
  find(name: string): (RegistryTransfer & { readonly isPending: boolean }) | undefined {
    const row = this.#statements.find.get(name);
    if (row === undefined) return undefined;
    return {
      name,
      clientTransactionId: text(row, "client_transaction_id"),
      gaining: text(row, "gaining"),
      losing: text(row, "losing"),
      requestedAtMs: integer(row, "requested_at_ms"),
      answeredAtMs: integer(row, "answered_at_ms"),
      release: integer(row, "release") === 1,
      isPending: integer(row, "settled") === 0,
    };
  }

  /** Returns the state of the latest transfer to us, as of the last `settleDue`. */
  state(name: string): TransferState {
    const row = this.#statements.find.get(name);
    if (row === undefined || text(row, "gaining") !== "sandbox") return { state: "none" };
    const clientTransactionId = text(row, "client_transaction_id");
    if (integer(row, "settled") === 0) return { state: "pending", clientTransactionId };
    if (integer(row, "release") === 0) return { state: "refused", clientTransactionId, message: noRelease };
    const domain = this.#domains.find(name)?.domain;
    // Deleted since, and perhaps registered by another order, so the transfer no longer counts.
    if (domain?.clientTransactionId !== clientTransactionId) return { state: "none" };
    return { state: "done", clientTransactionId, domain };
  }

  cancel(name: string): Outcome<void> {
    const { state } = this.state(name);
    if (state === "done") return refused("rejected", `The transfer of ${name} is done.`);
    if (state === "pending") this.withdraw(name);
    return done(undefined);
  }

  /** Deletes the latest transfer of a domain. */
  withdraw(name: string): void {
    this.#statements.remove.run(name);
  }

  /** Processes answers of losing registrars that are due. */
  settleDue(nowMs: number): void {
    for (const row of this.#statements.due.all(nowMs)) {
      if (integer(row, "release") === 1) this.#arrive(row);
      this.#statements.settle.run(text(row, "name"));
    }
  }

  #arrive(row: Row): void {
    const name = text(row, "name");
    const order = text(row, "client_transaction_id");
    if (text(row, "losing") === elsewhere) {
      this.#domains.hold(takenOver(row), 0, integer(row, "answered_at_ms"));
      this.#statements.giveTo.run(text(row, "gaining"), name);
      return;
    }
    this.#domains.handOver(name, {
      sponsor: text(row, "gaining"),
      order,
      atMs: integer(row, "answered_at_ms"),
    });
  }
}

const noRelease = "The losing registrar refuses the transfer.";

function refuse(reason: TransferRefusalReason, message: string): TransferOutcome {
  return { outcome: "refused", reason, message };
}

function outcomeOf(state: Exclude<TransferState, { readonly state: "none" }>): TransferOutcome {
  switch (state.state) {
    case "pending":
      return { outcome: "pending" };
    case "done":
      return done(state.domain);
    case "refused":
      return refuse("rejected", state.message);
  }
}

/** Returns the transferred domain, registered 465 days ago for two years plus the added year. */
function takenOver(row: Row): RegistrarDomain {
  const name = text(row, "name");
  const registeredAtMs = integer(row, "answered_at_ms") - 465 * day;
  const registeredAt = instantOf(registeredAtMs);
  return {
    name,
    clientTransactionId: text(row, "client_transaction_id"),
    registeredAt,
    expiresAt: addYears(registeredAt, 3),
    nameservers: ["ns1.elsewhere.example", "ns2.elsewhere.example"],
    whoisPrivacy: true,
    transferLock: true,
    hold: false,
  };
}

function prepare(database: DatabaseSync) {
  return {
    find: database.prepare("SELECT * FROM transfer WHERE name = ?"),
    due: database.prepare(
      "SELECT * FROM transfer WHERE settled = 0 AND answered_at_ms <= ? ORDER BY answered_at_ms, name",
    ),
    replace: database.prepare("INSERT OR REPLACE INTO transfer VALUES (?, ?, ?, ?, 0, ?, ?, ?)"),
    settle: database.prepare("UPDATE transfer SET settled = 1 WHERE name = ?"),
    giveTo: database.prepare("UPDATE domain SET sponsor = ? WHERE name = ?"),
    remove: database.prepare("DELETE FROM transfer WHERE name = ?"),
  };
}
