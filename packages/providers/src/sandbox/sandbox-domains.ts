import { createHash } from "node:crypto";

import type { DatabaseSync } from "node:sqlite";

import { addYears, type DelegationSigner } from "@hostledger/core";

import { done, refused, unknown, type Outcome } from "../outcome.ts";
import type { RegistrarDomain, RegistrationOrder, RenewalOrder } from "../registrar/registrar.port.ts";
import { decodeDetails, type DomainDetails } from "./sandbox-contents.codec.ts";
import { instantOf } from "./sandbox-clock.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { integer, text, type Row } from "./sandbox-database.ts";

/** Milliseconds until a deleted domain can no longer be restored, and until it is available (RFC 3915 §2). */
const redemptionMs = 30 * 86_400_000;
const purgeMs = redemptionMs + 5 * 86_400_000;

/** Status of a domain that does not resolve (RFC 5731 §2.3). */
const clientHold = "clientHold";

/** Milliseconds after registration in which a deletion is immediate (RFC 3915 §3.1, add grace period). */
export const addGraceMs = 5 * 86_400_000;

/** Returns true if a deleted domain can still be restored. */
export function isRedeemable(deletedAtMs: number, nowMs: number): boolean {
  return nowMs < deletedAtMs + redemptionMs;
}

/** Returns true if a deleted domain has become available. */
export function isPurged(deletedAtMs: number, nowMs: number): boolean {
  return nowMs >= deletedAtMs + purgeMs;
}

/** Maximum years until expiry at the registry. */
export const mostYearsAhead = 10;

/** Time of an order, and until when its outcome is unknown (0: known), in milliseconds since 1970. */
export interface CarriedOut {
  readonly atMs: number;
  readonly settlesAtMs: number;
}

/** Domains of the simulated registrar in the sandbox's file. */
export class SandboxDomains {
  readonly #options: Pick<SandboxParts, "database" | "clock">;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: Pick<SandboxParts, "database" | "clock">) {
    this.#options = options;
    this.#statements = prepare(options.database);
  }

  /** Returns true if any registrar holds the name or can restore it. */
  isRegistered(name: string): boolean {
    this.#purge(name);
    return this.#statements.isRegistered.get(name) !== undefined;
  }

  /** Returns our domain, and whether an order's outcome is still unknown. */
  find(name: string): { readonly domain: RegistrarDomain; readonly inLimbo: boolean } | undefined {
    const row = this.#statements.find.get(name);
    if (row === undefined || detailsOf(row).deletedAtMs !== undefined) return undefined;
    return { domain: domainOf(row), inLimbo: this.#isInLimbo(row) };
  }

  /** Returns every domain with a known outcome, by name. */
  settled(): RegistrarDomain[] {
    const rows = this.#statements.settled.all(this.#options.clock.epochMilliseconds());
    return rows.filter((row) => detailsOf(row).deletedAtMs === undefined).map(domainOf);
  }

  /** Registers a domain unless held; a repeat of its order succeeds. */
  register(
    { clientTransactionId, name, years, nameservers }: RegistrationOrder,
    { atMs, settlesAtMs }: CarriedOut,
  ): Outcome<RegistrarDomain> {
    const registeredAt = instantOf(atMs);
    const domain = {
      name,
      clientTransactionId,
      registeredAt,
      expiresAt: addYears(registeredAt, years),
      nameservers: [...nameservers],
      signers: [],
      whoisPrivacy: true,
      transferLock: true,
      hold: false,
    };
    if (this.hold(domain, settlesAtMs)) return done(domain);
    const held = this.find(name)?.domain;
    return held?.clientTransactionId === clientTransactionId
      ? done(held)
      : refused("rejected", `Another order for ${name} is in progress.`);
  }

  /** Adds a domain. @param transferredAtMs absent for a registration @returns false if the name or order id exists */
  hold(domain: RegistrarDomain, settlesAtMs: number, transferredAtMs?: number): boolean {
    const { name, clientTransactionId, registeredAt, expiresAt, nameservers } = domain;
    const delegation = nameservers.join(" ");
    this.#purge(name);
    const { changes } = this.#statements.insert.run(
      name,
      clientTransactionId,
      registeredAt,
      expiresAt,
      delegation,
      settlesAtMs,
    );
    if (changes > 0 && transferredAtMs !== undefined)
      this.#statements.setDetails.run(JSON.stringify({ transferredAt: instantOf(transferredAtMs) }), name);
    return changes > 0;
  }

  /** Renews the domain from the order's expiry day. */
  renew(
    { name, currentExpiresAt, years }: RenewalOrder,
    { atMs, settlesAtMs }: CarriedOut,
  ): Outcome<RegistrarDomain> {
    const held = this.find(name);
    if (held === undefined) return refused("rejected", `The registrar does not hold ${name} for us.`);
    if (held.inLimbo) return unknown(`The registrar did not answer an order for ${name}.`);
    const { domain } = held;
    if (dayOf(currentExpiresAt) !== dayOf(domain.expiresAt))
      return refused("rejected", `The expiry date of ${name} is ${dayOf(domain.expiresAt)}.`);
    const expiresAt = addYears(domain.expiresAt, years);
    if (expiresAt > addYears(instantOf(atMs), mostYearsAhead))
      return refused("rejected", `The registry lets ${name} expire ten years from now at most.`);
    this.#statements.renew.run(expiresAt, settlesAtMs, name);
    return done({ ...domain, expiresAt });
  }

  /** Restores the domain if possible, and renews it like `renew`. */
  restore(order: RenewalOrder, when: CarriedOut): Outcome<RegistrarDomain> {
    const row = this.#statements.find.get(order.name);
    const { deletedAtMs, ...details } = row === undefined ? {} : detailsOf(row);
    if (deletedAtMs !== undefined && isRedeemable(deletedAtMs, when.atMs))
      this.#statements.setDetails.run(JSON.stringify(details), order.name);
    return this.renew(order, when);
  }

  /** Transfers the domain to another registrar with a further year and without its settings. */
  handOver(
    name: string,
    { sponsor, order, atMs }: { readonly sponsor: string; readonly order: string; readonly atMs: number },
  ): void {
    const row = this.#statements.findAny.get(name);
    if (row === undefined) return;
    const { expiresAt } = domainOf(row);
    const longest = addYears(instantOf(atMs), mostYearsAhead);
    const longer = addYears(expiresAt, 1);
    const kept = { ...detailsOf(row), statuses: [], authInfo: null, transferredAt: instantOf(atMs) };
    const until = longer < longest ? longer : longest;
    this.#statements.handOver.run(sponsor, order, until, JSON.stringify(kept), name);
  }

  setNameservers(
    name: string,
    nameservers: readonly string[],
    signers: readonly DelegationSigner[] | undefined,
  ): void {
    this.#statements.setNameservers.run(nameservers.join(" "), name);
    const row = this.#statements.findAny.get(name);
    if (row === undefined || signers === undefined) return;
    const details = { ...detailsOf(row), dsData: signers };
    this.#statements.setDetails.run(JSON.stringify(details), name);
  }

  setSettings({ name, whoisPrivacy, transferLock, hold = false }: RegistrarDomain): void {
    this.#statements.setSettings.run(Number(whoisPrivacy), Number(transferLock), name);
    const row = this.#statements.findAny.get(name);
    if (row === undefined) return;
    const { statuses, ...details } = detailsOf(row);
    const others = statuses.filter((status) => status !== clientHold);
    const set = { ...details, statuses: hold ? [...others, clientHold] : others };
    this.#statements.setDetails.run(JSON.stringify(set), name);
  }

  /** Returns the domain's authInfo: as set over EPP, else the registrar's own. */
  authCodeOf({ name, clientTransactionId }: RegistrarDomain): string {
    const row = this.#statements.findAny.get(name);
    return (row && detailsOf(row).authInfo) ?? ownAuthCode(name, clientTransactionId);
  }

  /** Deletes the domain: at once in its first days, later with a redemption period. */
  giveUp(name: string): void {
    const row = this.#statements.find.get(name);
    if (row === undefined) return;
    const details = detailsOf(row);
    const atMs = this.#options.clock.epochMilliseconds();
    const beganAt = details.transferredAt ?? text(row, "registered_at");
    if (Date.parse(beganAt) + addGraceMs > atMs) this.#statements.remove.run(name);
    else if (details.deletedAtMs === undefined)
      this.#statements.setDetails.run(JSON.stringify({ ...details, deletedAtMs: atMs }), name);
  }

  /** Removes a domain whose redemption and deletion periods have passed. */
  #purge(name: string): void {
    const row = this.#statements.findAny.get(name);
    const { deletedAtMs } = row === undefined ? {} : detailsOf(row);
    if (deletedAtMs !== undefined && isPurged(deletedAtMs, this.#options.clock.epochMilliseconds()))
      this.#statements.purge.run(name);
  }

  #isInLimbo(row: Row): boolean {
    const settlesAtMs = integer(row, "settles_at_ms");
    return settlesAtMs > 0 && settlesAtMs > this.#options.clock.epochMilliseconds();
  }
}

/** Returns the default authInfo, stable until the domain is deleted and registered again. */
export function ownAuthCode(name: string, clientTransactionId: string): string {
  const secret = `${name} ${clientTransactionId}`;
  return createHash("sha256").update(secret).digest("base64url").slice(0, 16);
}

/** Returns the day, the resolution of EPP's expiry dates (`xs:date`, RFC 5731 §3.2.3). */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

function prepare(database: DatabaseSync) {
  return {
    isRegistered: database.prepare("SELECT 1 FROM domain WHERE name = ?"),
    findAny: database.prepare("SELECT * FROM domain WHERE name = ?"),
    handOver: database.prepare(
      "UPDATE domain SET sponsor = ?, client_transaction_id = ?, expires_at = ?, transfer_lock = 0, details = ? WHERE name = ?",
    ),
    find: database.prepare("SELECT * FROM domain WHERE name = ? AND sponsor = 'sandbox'"),
    settled: database.prepare(
      "SELECT * FROM domain WHERE settles_at_ms <= ? AND sponsor = 'sandbox' ORDER BY name",
    ),
    insert: database.prepare(
      `INSERT INTO domain (name, client_transaction_id, registered_at, expires_at, nameservers, whois_privacy, transfer_lock, settles_at_ms)
       VALUES (?, ?, ?, ?, ?, 1, 1, ?) ON CONFLICT DO NOTHING`,
    ),
    renew: database.prepare("UPDATE domain SET expires_at = ?, settles_at_ms = ? WHERE name = ?"),
    setNameservers: database.prepare("UPDATE domain SET nameservers = ? WHERE name = ?"),
    setDetails: database.prepare("UPDATE domain SET details = ? WHERE name = ?"),
    setSettings: database.prepare("UPDATE domain SET whois_privacy = ?, transfer_lock = ? WHERE name = ?"),
    remove: database.prepare("DELETE FROM domain WHERE name = ? AND sponsor = 'sandbox'"),
    purge: database.prepare("DELETE FROM domain WHERE name = ?"),
  };
}

export function domainOf(row: Row): RegistrarDomain {
  const nameservers = text(row, "nameservers");
  return {
    name: text(row, "name"),
    clientTransactionId: text(row, "client_transaction_id"),
    registeredAt: text(row, "registered_at"),
    expiresAt: text(row, "expires_at"),
    nameservers: nameservers === "" ? [] : nameservers.split(" "),
    signers: detailsOf(row).dsData,
    whoisPrivacy: integer(row, "whois_privacy") === 1,
    transferLock: integer(row, "transfer_lock") === 1,
    hold: detailsOf(row).statuses.includes(clientHold),
  };
}

function detailsOf(row: Row): DomainDetails {
  return decodeDetails(text(row, "details"), text(row, "sponsor"));
}
