import type { DatabaseSync } from "node:sqlite";

import type { RegistrarDomain } from "../registrar/registrar.port.ts";
import type { LateOrders } from "./late-orders.ts";
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
} from "./registry-contents.codec.ts";
import type { SandboxClock } from "./sandbox-clock.ts";
import { integer, text } from "./sandbox-database.ts";
import { domainOf, isPurged, ownAuthCode, SandboxDomains } from "./sandbox-domains.ts";
import type { SandboxRegistrar } from "./sandbox-registrar.adapter.ts";
import { SandboxTransfers, type RegistryTransfer } from "./sandbox-transfers.ts";
import type { TurnTransaction } from "./turn-transaction.ts";

/** A name as the registry has it. */
export interface RegistryDomain extends RegistrarDomain {
  readonly sponsor: string;
  readonly details: DomainDetails;
  /** In limbo until then, in milliseconds since 1970; 0 when it never was. */
  readonly settlesAtMs: number;
}

/** The first message of a queue, and how many there are. */
export interface QueuedMessage {
  readonly id: number;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly queuedAtMs: number;
  readonly message: RegistryMessage;
}

/** What the registry stands on. */
export interface SandboxRegistryOptions {
  readonly database: DatabaseSync;
  readonly turn: TurnTransaction;
  readonly clock: SandboxClock;
  readonly lateOrders: LateOrders;
  readonly registrar: SandboxRegistrar;
  /** How long every answer takes. */
  readonly latencyMs: number;
  /** How long an order with `limbo` stays unsettled. */
  readonly limboMs: number;
}

/**
 * What the test registry keeps in the sandbox's file: the names of all its registrars, contacts, hosts, transfers between
 * them, and messages. It knows no rule; those are the server's. What it is asked, it is asked in `carryOut`.
 */
export class SandboxRegistry {
  readonly latencyMs: number;
  readonly limboMs: number;
  readonly #options: SandboxRegistryOptions;
  readonly #transfers: SandboxTransfers;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: SandboxRegistryOptions) {
    this.#options = options;
    this.latencyMs = options.latencyMs;
    this.limboMs = options.limboMs;
    this.#transfers = new SandboxTransfers(options.database, new SandboxDomains(options));
    this.#statements = prepare(options.database);
  }

  /** Carries a command out, after what is due by now. Settles once all that was written is kept. */
  carryOut<Answer>(command: () => Answer): Promise<Answer> {
    return this.#options.turn.within(() => {
      this.#options.registrar.carryOutDue();
      return command();
    });
  }

  /** Undefined for a name that nobody holds, or whose time to be restored is over. */
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

  /** Writes a domain, a new one or in the place of what it was. @returns false when its order made another name. */
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

  /** The code with which the domain can be transferred; null when it cannot. */
  authInfoOf({ name, clientTransactionId, details }: RegistryDomain): string | null {
    return details.authInfo === undefined ? ownAuthCode(name, clientTransactionId) : details.authInfo;
  }

  /** The latest transfer of a name, whoever takes part. */
  transferOf(name: string): ReturnType<SandboxTransfers["find"]> {
    return this.#transfers.find(name);
  }

  placeTransfer(transfer: RegistryTransfer): void {
    this.#transfers.place(transfer);
  }

  withdrawTransfer(name: string): void {
    this.#transfers.withdraw(name);
  }

  /** Acts on what losing registrars answered until then, in milliseconds since 1970. */
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

  /** Whether a domain names the contact. */
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

  /** Whether a domain is delegated to the host. */
  isHostLinked(name: string): boolean {
    return this.#statements.hostLink.get(` ${name} `) !== undefined;
  }

  /** The hosts below a name, itself among them. */
  hostsBelow(name: string): string[] {
    return this.#statements.hostsBelow.all(name, `.${name}`).map((row) => text(row, "name"));
  }

  /** Puts a message into a registrar's queue. @param name what it is about. @param atMs it is not there before. */
  notify(registrar: string, name: string, atMs: number, message: RegistryMessage): void {
    this.#statements.notify.run(registrar, name, atMs, JSON.stringify(message));
  }

  /** Takes back what would have been said of a name later. */
  dropLaterMessages(name: string): void {
    this.#statements.dropLater.run(name, this.#options.clock.epochMilliseconds());
  }

  /** The first message of a registrar's queue. */
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

  /** Takes a message out of a registrar's queue. @returns false when it was not there. */
  acknowledge(registrar: string, id: number): boolean {
    const nowMs = this.#options.clock.epochMilliseconds();
    return this.#statements.acknowledge.run(id, registrar, nowMs).changes > 0;
  }

  /** Takes a command down that is carried out a while after the first question about its name. */
  takeDownLate(id: string, name: string, command: LateCommand): void {
    this.#options.lateOrders.takeDown("registry", id, name, JSON.stringify(command));
  }

  /** Somebody asks about the name. */
  askedAbout(name: string): void {
    this.#options.lateOrders.askedAbout("registry", name);
    this.#options.lateOrders.askedAbout("registrar", name);
  }

  /** Hands out the commands that are due, each once. @param carryOut gets when it was due, in milliseconds since 1970. */
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
