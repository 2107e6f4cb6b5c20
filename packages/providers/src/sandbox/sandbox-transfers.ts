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

/** The one code that every simulated losing registrar accepts. */
const authCode = "let-me-go";

const day = 86_400_000;

/** Transfers of names to the simulated registrar. Every call happens within the sandbox's transaction of the turn. */
export class SandboxTransfers {
  readonly #domains: SandboxDomains;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(database: DatabaseSync, domains: SandboxDomains) {
    this.#domains = domains;
    this.#statements = prepare(database);
  }

  /** Takes an order down, unless it repeats one or cannot be. @param nowMs milliseconds since 1970. */
  request({ clientTransactionId, name, authCode: given }: TransferOrder, nowMs: number): TransferOutcome {
    const { elsewhere } = behaviourOf(name);
    const earlier = this.state(name);
    if (earlier.state !== "none" && earlier.clientTransactionId === clientTransactionId)
      return outcomeOf(earlier);
    if (this.#domains.find(name) !== undefined || elsewhere === null)
      return refuse("not-transferable", `No other registrar holds ${name}.`);
    if (earlier.state === "pending") return refuse("rejected", `Another transfer of ${name} is pending.`);
    if (given !== authCode) return refuse("invalid-auth-code", `The auth code of ${name} is another one.`);
    const answeredAtMs = nowMs + elsewhere.answersAfterMs;
    this.#statements.replace.run(name, clientTransactionId, answeredAtMs, Number(elsewhere.release));
    return { outcome: "pending" };
  }

  /** What has become of the latest transfer of the name, as far as `settleDue` has come. */
  state(name: string): TransferState {
    const row = this.#statements.find.get(name);
    if (row === undefined) return { state: "none" };
    const clientTransactionId = text(row, "client_transaction_id");
    if (integer(row, "settled") === 0) return { state: "pending", clientTransactionId };
    if (integer(row, "release") === 0) return { state: "refused", clientTransactionId, message: noRelease };
    const domain = this.#domains.find(name)?.domain;
    // Cancelled since, and perhaps held again by another order: the transfer is history.
    if (domain?.clientTransactionId !== clientTransactionId) return { state: "none" };
    return { state: "done", clientTransactionId, domain };
  }

  /** Withdraws what is pending. */
  cancel(name: string): Outcome<void> {
    const { state } = this.state(name);
    if (state === "done") return refused("rejected", `The transfer of ${name} is done.`);
    if (state === "pending") this.#statements.remove.run(name);
    return done(undefined);
  }

  /** True when a losing registrar has answered since the last `settleDue`. */
  isDue(nowMs: number): boolean {
    return this.#statements.due.get(nowMs) !== undefined;
  }

  /** Acts on the answers of the losing registrars that came until now. */
  settleDue(nowMs: number): void {
    for (const row of this.#statements.due.all(nowMs)) {
      if (integer(row, "release") === 1) this.#domains.hold(takenOver(row), 0);
      this.#statements.settle.run(text(row, "name"));
    }
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

/** The name as it comes over: it was registered 465 days ago for two years, so that 265 days and the added year are left. */
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
  };
}

function prepare(database: DatabaseSync) {
  return {
    find: database.prepare("SELECT * FROM transfer WHERE name = ?"),
    due: database.prepare(
      "SELECT * FROM transfer WHERE settled = 0 AND answered_at_ms <= ? ORDER BY answered_at_ms, name",
    ),
    replace: database.prepare("INSERT OR REPLACE INTO transfer VALUES (?, ?, ?, ?, 0)"),
    settle: database.prepare("UPDATE transfer SET settled = 1 WHERE name = ?"),
    remove: database.prepare("DELETE FROM transfer WHERE name = ?"),
  };
}
