import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

import { addYears, assertNever } from "@hostledger/core";

import { done, refused, unknown, type Outcome } from "../outcome.ts";
import type {
  Registrar,
  RegistrarDomain,
  RegistrarHolding,
  RegistrarSettings,
  RegistrationOrder,
  RenewalOrder,
} from "../registrar/registrar.port.ts";
import { behaviourOf } from "./labels.ts";
import { noAnswer, type Line } from "./line.ts";
import { integer, text, type Row } from "./sandbox-database.ts";
import type { TurnTransaction } from "./turn-transaction.ts";

/** A registry's limit. */
const mostYearsAhead = 10;

/** Where the sandbox's time comes from. */
export interface SandboxClock {
  /** ISO 8601 UTC with six fractional digits. */
  now(): string;
  epochMilliseconds(): number;
}

/** What the simulated registrar stands on. */
export interface SandboxRegistrarOptions {
  readonly database: DatabaseSync;
  readonly turn: TurnTransaction;
  readonly line: Line;
  readonly clock: SandboxClock;
  /** How long an order for a name with `limbo` stays unsettled. */
  readonly limboMs: number;
}

/** The simulated registrar. What it answers is in the table of `labels.ts`; what it holds is in its own file. */
export class SandboxRegistrar implements Registrar {
  readonly name = "sandbox";
  readonly #options: SandboxRegistrarOptions;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: SandboxRegistrarOptions) {
    this.#options = options;
    this.#statements = prepare(options.database);
  }

  check(name: string): Promise<Outcome<{ readonly available: boolean }>> {
    const { available, callMs } = behaviourOf(name);
    return this.#options.line.call(callMs, () =>
      done({ available: available && this.#find(name) === undefined }),
    );
  }

  register(order: RegistrationOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#order(order.name, (settlesAtMs) => this.#carryOut(order, settlesAtMs));
  }

  renew(order: RenewalOrder): Promise<Outcome<RegistrarDomain>> {
    return this.#order(order.name, (settlesAtMs) => this.#renew(order, settlesAtMs));
  }

  inquire(name: string): Promise<Outcome<RegistrarHolding>> {
    return this.#options.line.call<RegistrarHolding>(behaviourOf(name).callMs, () => {
      const row = this.#find(name);
      if (row === undefined) return done({ held: false });
      return this.#isInLimbo(row) ? silentAbout(name) : done({ held: true, domain: domainOf(row) });
    });
  }

  updateNameservers(name: string, nameservers: readonly string[]): Promise<Outcome<RegistrarDomain>> {
    const { refusesNameservers, callMs } = behaviourOf(name);
    return this.#options.line.call(callMs, () => {
      this.#options.turn.begin();
      const row = this.#find(name);
      if (row === undefined) return refused("rejected", `The registrar does not hold ${name} for us.`);
      if (this.#isInLimbo(row)) return silentAbout(name);
      if (refusesNameservers) return refused("rejected", `The registrar rejects the nameservers of ${name}.`);
      this.#statements.updateNameservers.run(nameservers.join(" "), name);
      return done({ ...domainOf(row), nameservers: [...nameservers] });
    });
  }

  updateSettings(name: string, settings: RegistrarSettings): Promise<Outcome<RegistrarDomain>> {
    return this.#options.line.call(behaviourOf(name).callMs, () => {
      this.#options.turn.begin();
      const row = this.#find(name);
      if (row === undefined) return refused("rejected", `The registrar does not hold ${name} for us.`);
      if (this.#isInLimbo(row)) return silentAbout(name);
      const { whoisPrivacy, transferLock } = { ...domainOf(row), ...settings };
      this.#statements.updateSettings.run(Number(whoisPrivacy), Number(transferLock), name);
      return done({ ...domainOf(row), whoisPrivacy, transferLock });
    });
  }

  authCode(name: string): Promise<Outcome<{ readonly authCode: string }>> {
    return this.#options.line.call<{ readonly authCode: string }>(behaviourOf(name).callMs, () => {
      const row = this.#find(name);
      if (row === undefined) return refused("rejected", `The registrar does not hold ${name} for us.`);
      if (this.#isInLimbo(row)) return silentAbout(name);
      // The same at every reading, another one after the name was cancelled and sold again.
      const secret = `${name} ${text(row, "client_transaction_id")}`;
      return done({ authCode: createHash("sha256").update(secret).digest("base64url").slice(0, 16) });
    });
  }

  cancel(name: string): Promise<Outcome<void>> {
    return this.#options.line.call(behaviourOf(name).callMs, () => {
      this.#options.turn.begin();
      const row = this.#find(name);
      if (row !== undefined && this.#isInLimbo(row)) return silentAbout(name);
      if (row === undefined) return done(undefined);
      this.#statements.remove.run(name);
      return done(undefined);
    });
  }

  /** Every domain held, by name. One in limbo is not among them: nobody could say of it that it is held. */
  show(): RegistrarDomain[] {
    return this.#statements.settled.all(this.#options.clock.epochMilliseconds()).map(domainOf);
  }

  /** Lets an order meet its fate. What is carried out is settled at an instant; 0 is at once. */
  #order(
    name: string,
    carryOut: (settlesAtMs: number) => Outcome<RegistrarDomain>,
  ): Promise<Outcome<RegistrarDomain>> {
    const { order: fate, callMs } = behaviourOf(name);
    return this.#options.line.call(callMs, () => {
      switch (fate) {
        case "carried-out":
          return carryOut(0);
        case "rejected":
          return refused("rejected", `The registrar rejects the order for ${name}.`);
        case "unreachable":
          return refused("unreachable", "The registrar cannot be reached.");
        case "swallowed":
          return noAnswer;
        case "answer-lost":
          carryOut(0);
          return noAnswer;
        case "in-limbo":
          carryOut(this.#options.clock.epochMilliseconds() + this.#options.limboMs);
          return noAnswer;
        default:
          return assertNever(fate);
      }
    });
  }

  #renew({ name, currentExpiresAt, years }: RenewalOrder, settlesAtMs: number): Outcome<RegistrarDomain> {
    this.#options.turn.begin();
    const row = this.#find(name);
    if (row === undefined) return refused("rejected", `The registrar does not hold ${name} for us.`);
    if (this.#isInLimbo(row)) return silentAbout(name);
    const domain = domainOf(row);
    if (dayOf(currentExpiresAt) !== dayOf(domain.expiresAt))
      return refused("rejected", `The expiry date of ${name} is ${dayOf(domain.expiresAt)}.`);
    const expiresAt = addYears(domain.expiresAt, years);
    if (expiresAt > addYears(this.#options.clock.now(), mostYearsAhead))
      return refused("rejected", `The registry lets ${name} expire ten years from now at most.`);
    this.#statements.renew.run(expiresAt, settlesAtMs, name);
    return done({ ...domain, expiresAt });
  }

  #carryOut(order: RegistrationOrder, settlesAtMs: number): Outcome<RegistrarDomain> {
    const { clientTransactionId, name, years, nameservers } = order;
    const registeredAt = this.#options.clock.now();
    const expiresAt = addYears(registeredAt, years);
    const delegation = nameservers.join(" ");
    const { insert, find } = this.#statements;
    this.#options.turn.begin();
    const { changes } = insert.run(
      name,
      clientTransactionId,
      registeredAt,
      expiresAt,
      delegation,
      settlesAtMs,
    );
    if (changes === 0) {
      const held = find.get(name);
      const repeated = held !== undefined && text(held, "client_transaction_id") === clientTransactionId;
      return repeated
        ? done(domainOf(held))
        : refused("rejected", `The order for ${name} meets another one.`);
    }
    return done({
      name,
      clientTransactionId,
      registeredAt,
      expiresAt,
      nameservers: [...nameservers],
      whoisPrivacy: true,
      transferLock: true,
    });
  }

  #find(name: string): Row | undefined {
    return this.#statements.find.get(name);
  }

  #isInLimbo(row: Row): boolean {
    const settlesAtMs = integer(row, "settles_at_ms");
    return settlesAtMs > 0 && settlesAtMs > this.#options.clock.epochMilliseconds();
  }
}

/** EPP speaks of days (`xs:date`, RFC 5731 §3.2.3). */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

function silentAbout(name: string): Outcome<never> {
  return unknown(`The registrar did not answer a question about ${name}.`);
}

function prepare(database: DatabaseSync) {
  return {
    find: database.prepare("SELECT * FROM domain WHERE name = ?"),
    settled: database.prepare("SELECT * FROM domain WHERE settles_at_ms <= ? ORDER BY name"),
    insert: database.prepare("INSERT INTO domain VALUES (?, ?, ?, ?, ?, 1, 1, ?) ON CONFLICT DO NOTHING"),
    renew: database.prepare("UPDATE domain SET expires_at = ?, settles_at_ms = ? WHERE name = ?"),
    updateNameservers: database.prepare("UPDATE domain SET nameservers = ? WHERE name = ?"),
    updateSettings: database.prepare("UPDATE domain SET whois_privacy = ?, transfer_lock = ? WHERE name = ?"),
    remove: database.prepare("DELETE FROM domain WHERE name = ?"),
  };
}

function domainOf(row: Row): RegistrarDomain {
  const nameservers = text(row, "nameservers");
  return {
    name: text(row, "name"),
    clientTransactionId: text(row, "client_transaction_id"),
    registeredAt: text(row, "registered_at"),
    expiresAt: text(row, "expires_at"),
    nameservers: nameservers === "" ? [] : nameservers.split(" "),
    whoisPrivacy: integer(row, "whois_privacy") === 1,
    transferLock: integer(row, "transfer_lock") === 1,
  };
}
