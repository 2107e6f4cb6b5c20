import type { DatabaseSync } from "node:sqlite";

import type { RegistrarDomain } from "../registrar/registrar.port.ts";
import {
  decodeContact,
  decodeDetails,
  decodeHost,
  decodeLateCommand,
  decodeMessage,
  type DomainDetails,
  type LateCommand,
  type RegistryContact,
  type RegistryHost,
  type RegistryMessage,
} from "./sandbox-contents.codec.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { integer, text } from "./sandbox-database.ts";
import { domainOf, isPurged, ownAuthCode, SandboxDomains } from "./sandbox-domains.ts";
import type { SandboxRegistrar } from "./sandbox-registrar.adapter.ts";
import { SandboxTransfers, type RegistryTransfer } from "./sandbox-transfers.ts";

export interface RegistryDomain extends RegistrarDomain {
  readonly sponsor: string;
  readonly details: DomainDetails;
  /** Until when an order's outcome is unknown, in milliseconds since 1970; 0 if known. */
  readonly settlesAtMs: number;
}

/** The first message of a queue, and the number of messages. */
export interface QueuedMessage {
  readonly id: number;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly queuedAtMs: number;
  readonly message: RegistryMessage;
}

/** Stores the test registry's data in the sandbox's file; the server applies the rules. */
export class SandboxRegistry {
  readonly latencyMs: number;
  readonly limboMs: number;
  readonly #options: SandboxParts;
  readonly #registrar: SandboxRegistrar;
  readonly #transfers: SandboxTransfers;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: SandboxParts, registrar: SandboxRegistrar) {
    this.#options = options;
    this.#registrar = registrar;
    this.latencyMs = options.latencyMs;
    this.limboMs = options.limboMs;
    this.#transfers = new SandboxTransfers(options.database, new SandboxDomains(options));
    this.#statements = prepare(options.database);
  }

  /** Carries out due orders, then a command; resolves when all writes are committed. */
  carryOut<Answer>(command: () => Answer): Promise<Answer> {
    return this.#options.turn.within(() => {
      this.#registrar.carryOutDue();
      return command();
    });
  }

  /** Returns a domain; undefined if free. */
  domain(name: string): RegistryDomain | undefined {
    const row = this.#statements.domain.get(name);
    if (row === undefined) return undefined;
    const sponsor = text(row, "sponsor");
    const details = decodeDetails(text(row, "details"), sponsor);
    const { deletedAtMs } = details;
    if (deletedAtMs !== undefined && isPurged(deletedAtMs, this.#options.clock.epochMilliseconds())) {
      this.removeDomain(name);
      return undefined;
    }
    return { ...domainOf(row), sponsor, details, settlesAtMs: integer(row, "settles_at_ms") };
  }

  /** Adds or replaces a domain. @returns false if its order created another domain */
  putDomain(domain: RegistryDomain): boolean {
    const { name, clientTransactionId, registeredAt, expiresAt, nameservers } = domain;
    const other = this.#statements.domainByOrder.get(clientTransactionId, name);
    if (other !== undefined) return false;
    this.#statements.putDomain.run(
      name,
      clientTransactionId,
      registeredAt,
      expiresAt,
      nameservers.join(" "),
      Number(domain.whoisPrivacy),
      Number(domain.transferLock),
      domain.settlesAtMs,
      domain.sponsor,
      JSON.stringify(domain.details),
    );
    return true;
  }

  removeDomain(name: string): void {
    this.#statements.removeDomain.run(name);
  }

  /** Returns the domain's authInfo; null if removed. */
  authInfoOf({ name, clientTransactionId, details }: RegistryDomain): string | null {
    return details.authInfo === undefined ? ownAuthCode(name, clientTransactionId) : details.authInfo;
  }

  /** Returns the latest transfer of a domain between any registrars. */
  transferOf(name: string): ReturnType<SandboxTransfers["find"]> {
    return this.#transfers.find(name);
  }

  placeTransfer(transfer: RegistryTransfer): void {
    this.#transfers.place(transfer);
  }

  withdrawTransfer(name: string): void {
    this.#transfers.withdraw(name);
  }

  /** Completes transfers answered before an instant, in milliseconds since 1970. */
  settleTransfers(atMs: number): void {
    this.#transfers.settleDue(atMs);
  }

  contact(id: string): RegistryContact | undefined {
    const row = this.#statements.contact.get(id);
    return row && decodeContact(text(row, "content"));
  }

  putContact(contact: RegistryContact): void {
    this.#statements.putContact.run(contact.id, JSON.stringify(contact));
  }

  removeContact(id: string): void {
    this.#statements.removeContact.run(id);
  }

  /** Returns true if a domain uses the contact. */
  isContactLinked(id: string): boolean {
    return this.#statements.contactLink.get(id, id) !== undefined;
  }

  host(name: string): RegistryHost | undefined {
    const row = this.#statements.host.get(name);
    return row && decodeHost(text(row, "content"));
  }

  putHost(host: RegistryHost): void {
    this.#statements.putHost.run(host.name, JSON.stringify(host));
  }

  removeHost(name: string): void {
    this.#statements.removeHost.run(name);
  }

  /** Returns true if a domain is delegated to the host. */
  isHostLinked(name: string): boolean {
    return this.#statements.hostLink.get(` ${name} `) !== undefined;
  }

  hostsBelow(name: string): string[] {
    return this.#statements.hostsBelow.all(name, `.${name}`).map((row) => text(row, "name"));
  }

  /** Queues a message. @param name its domain. @param atMs time from which it is visible */
  notify(registrar: string, name: string, atMs: number, message: RegistryMessage): void {
    this.#statements.notify.run(registrar, name, atMs, JSON.stringify(message));
  }

  /** Removes future messages about a domain. */
  dropLaterMessages(name: string): void {
    this.#statements.dropLater.run(name, this.#options.clock.epochMilliseconds());
  }

  firstMessage(registrar: string): QueuedMessage | undefined {
    const nowMs = this.#options.clock.epochMilliseconds();
    const row = this.#statements.firstMessage.get(registrar, nowMs);
    if (row === undefined) return undefined;
    return {
      id: integer(row, "id"),
      count: this.countMessages(registrar),
      queuedAtMs: integer(row, "available_at_ms"),
      message: decodeMessage(text(row, "content")),
    };
  }

  countMessages(registrar: string): number {
    const nowMs = this.#options.clock.epochMilliseconds();
    return integer(this.#statements.countMessages.get(registrar, nowMs) ?? {}, "messages");
  }

  /** Removes a message from a registrar's queue. @returns false if missing */
  acknowledge(registrar: string, id: number): boolean {
    const nowMs = this.#options.clock.epochMilliseconds();
    return this.#statements.acknowledge.run(id, registrar, nowMs).changes > 0;
  }

  /** Stores a command to be carried out some time after the first question about its name. */
  takeDownLate(id: string, name: string, command: LateCommand): void {
    this.#options.lateOrders.takeDown("registry", id, name, JSON.stringify(command));
  }

  /** Records a question about a name, which starts the time of late orders. */
  askedAbout(name: string): void {
    this.#options.lateOrders.askedAbout("registry", name);
    this.#options.lateOrders.askedAbout("registrar", name);
  }

  /** Passes on due commands once. @param carryOut receives the due time in milliseconds since 1970 */
  carryOutLate(carryOut: (command: LateCommand, atMs: number) => void): void {
    this.#options.lateOrders.carryOutDue("registry", (content, atMs) => {
      carryOut(decodeLateCommand(content), atMs);
    });
  }
}

function prepare(database: DatabaseSync) {
  return {
    domain: database.prepare("SELECT * FROM domain WHERE name = ?"),
    domainByOrder: database.prepare("SELECT 1 FROM domain WHERE client_transaction_id = ? AND name <> ?"),
    putDomain: database.prepare(
      `INSERT INTO domain VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
         client_transaction_id = excluded.client_transaction_id, registered_at = excluded.registered_at,
         expires_at = excluded.expires_at, nameservers = excluded.nameservers, whois_privacy = excluded.whois_privacy,
         transfer_lock = excluded.transfer_lock, settles_at_ms = excluded.settles_at_ms, sponsor = excluded.sponsor,
         details = excluded.details`,
    ),
    removeDomain: database.prepare("DELETE FROM domain WHERE name = ?"),
    contact: database.prepare("SELECT * FROM contact WHERE id = ?"),
    putContact: database.prepare("INSERT OR REPLACE INTO contact VALUES (?, ?)"),
    removeContact: database.prepare("DELETE FROM contact WHERE id = ?"),
    contactLink: database.prepare(
      `SELECT 1 FROM domain WHERE details ->> '$.registrant' = ? OR EXISTS
         (SELECT 1 FROM json_each(details, '$.contacts') WHERE value ->> '$.id' = ?) LIMIT 1`,
    ),
    host: database.prepare("SELECT * FROM host WHERE name = ?"),
    putHost: database.prepare("INSERT OR REPLACE INTO host VALUES (?, ?)"),
    removeHost: database.prepare("DELETE FROM host WHERE name = ?"),
    hostLink: database.prepare("SELECT 1 FROM domain WHERE instr(' ' || nameservers || ' ', ?) > 0 LIMIT 1"),
    hostsBelow: database.prepare("SELECT name FROM host WHERE name = ? OR substr(name, -length(?2)) = ?2"),
    notify: database.prepare(
      "INSERT INTO message (registrar, name, available_at_ms, content) VALUES (?, ?, ?, ?)",
    ),
    dropLater: database.prepare("DELETE FROM message WHERE name = ? AND available_at_ms > ?"),
    firstMessage: database.prepare(
      "SELECT * FROM message WHERE registrar = ? AND available_at_ms <= ? ORDER BY available_at_ms, id LIMIT 1",
    ),
    countMessages: database.prepare(
      "SELECT count(*) AS messages FROM message WHERE registrar = ? AND available_at_ms <= ?",
    ),
    acknowledge: database.prepare(
      "DELETE FROM message WHERE id = ? AND registrar = ? AND available_at_ms <= ?",
    ),
  } satisfies Record<string, ReturnType<DatabaseSync["prepare"]>>;
}
