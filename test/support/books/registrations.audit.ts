import type { ChargeEntry } from "./accounts.audit.ts";
import { cents, list, listed, number, property, text, type Event, type Report } from "./books-event.ts";

/** A registered domain, folded from the name's events. */
export interface DomainEntry {
  readonly registrationId: string;
  readonly domainId: number;
  readonly accountId: number;
  readonly name: string;
  expiresAt: string;
  readonly chargeId: string;
  readonly invoiceId: number;
  readonly grossCents: bigint;
  nameservers: readonly string[];
  usesServiceNameservers: boolean;
  /** Undefined while there is no managed zone. */
  records: readonly RecordEntry[] | undefined;
  /** The zone was created while the domain was on the customer's own nameservers. */
  hasZoneInVain: boolean;
}

/** A DNS record, folded from the events. */
export interface RecordEntry {
  readonly recordId: number;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly priority: number | null;
}

interface Reservation {
  readonly registrationId: string;
  readonly accountId: number;
  readonly name: string;
  /** Net price of all years. */
  readonly netCents: bigint;
  end: "open" | "released" | "registered";
}

/** Names: every reservation with its end, and the resulting domains. */
export interface NameBook {
  readonly reservations: ReadonlyMap<string, Reservation>;
  /** By name. */
  readonly domains: ReadonlyMap<string, DomainEntry>;
}

/** Every name: one registration at a time, one owner, one zone. */
export function auditNames(events: readonly Event[], report: Report): NameBook {
  const reservations = new Map<string, Reservation>();
  const domains = new Map<string, DomainEntry>();
  const ids = new Set<number>();
  const holders = new Map<string, Reservation>();
  for (const event of events) {
    if (!event.stream.startsWith("domain-")) continue;
    const name = event.stream.slice("domain-".length);
    const holder = holders.get(name);
    if (event.type === "RegistrationReserved" || event.type === "TransferReserved") {
      if (holder !== undefined && holder.end !== "released")
        report(`${name} was reserved while ${holder.registrationId} had it`);
      const reservation = readReservation(event);
      if (reservation.name !== name) report(`${event.stream} holds a reservation of ${reservation.name}`);
      if (reservations.has(reservation.registrationId))
        report(`${reservation.registrationId} reserved twice`);
      reservations.set(reservation.registrationId, reservation);
      holders.set(name, reservation);
    } else if (holder === undefined) {
      report(`${event.type} of ${name} comes before any reservation`);
    } else if (event.type === "DomainRegistered" || event.type === "DomainTransferredIn") {
      const entry = readDomain(event);
      if (holder.end !== "open" || entry.registrationId !== holder.registrationId)
        report(`${name} was registered for ${entry.registrationId} while ${holder.registrationId} had it`);
      if (ids.has(entry.domainId)) report(`the domain id ${String(entry.domainId)} is used twice`);
      ids.add(entry.domainId);
      holder.end = "registered";
      domains.set(name, entry);
    } else if (event.type === "RegistrationReleased" || event.type === "TransferReleased") {
      if (holder.end !== "open" || runOf(event) !== holder.registrationId)
        report(`${name} was released by ${runOf(event)}, which did not have it`);
      holder.end = "released";
    } else {
      deliver(event, domains.get(name), report);
    }
  }
  return { reservations, domains };
}

/** The run that a name's event is about: of a registration, or of a transfer to us. */
function runOf({ type, data }: Event): string {
  return text(data, isOfTransfer(type) ? "transferId" : "registrationId");
}

function isOfTransfer(type: string): boolean {
  return type.startsWith("Transfer") || type === "DomainTransferredIn";
}

function readReservation(event: Event): Reservation {
  const { data } = event;
  return {
    registrationId: runOf(event),
    accountId: number(data, "accountId"),
    name: text(data, "name"),
    netCents: isOfTransfer(event.type)
      ? cents(data, "netCents")
      : cents(data, "yearNetCents") * BigInt(number(data, "years")),
    end: "open",
  };
}

function readDomain(event: Event): DomainEntry {
  const { data } = event;
  return {
    registrationId: runOf(event),
    domainId: number(data, "domainId"),
    accountId: number(data, "accountId"),
    name: text(data, "name"),
    expiresAt: text(data, "expiresAt"),
    chargeId: text(data, "chargeId"),
    invoiceId: number(data, "invoiceId"),
    grossCents: cents(data, "grossCents"),
    nameservers: hosts(data),
    // The delegation of a name that is transferred comes along.
    usesServiceNameservers: !isOfTransfer(event.type),
    records: undefined,
    hasZoneInVain: false,
  };
}

function deliver({ type, data, stream }: Event, domain: DomainEntry | undefined, report: Report): void {
  if (type === "ZoneCreated") {
    if (domain === undefined || domain.records !== undefined) report(`${stream} tells of a zone too many`);
    else {
      domain.records = list(data, "records").map(readRecord);
      domain.hasZoneInVain = !domain.usesServiceNameservers;
    }
  } else if (type.startsWith("DnsRecord")) {
    if (domain?.records === undefined) report(`${stream} tells of a record in no zone`);
    else
      domain.records = changedRecords(type, data, domain.records, (what) => {
        report(`${stream} ${what}`);
      });
  } else if (type === "DomainRenewed") {
    if (domain?.expiresAt !== text(data, "previousExpiresAt"))
      report(
        `${stream} renews from ${text(data, "previousExpiresAt")}, it expires ${domain?.expiresAt ?? "never"}`,
      );
    else domain.expiresAt = text(data, "expiresAt");
  } else if (type === "NameserversChanged") {
    if (domain === undefined) report(`${stream} tells of nameservers of no domain`);
    else {
      domain.nameservers = hosts(data);
      domain.usesServiceNameservers = property(data, "usesServiceNameservers") === true;
    }
  }
}

/** The records after one of them was added, updated or deleted. */
function changedRecords(
  type: string,
  data: unknown,
  records: readonly RecordEntry[],
  report: Report,
): readonly RecordEntry[] {
  const id =
    type === "DnsRecordDeleted" ? number(data, "recordId") : number(property(data, "record"), "recordId");
  const isThere = records.some(({ recordId }) => recordId === id);
  if (isThere === (type === "DnsRecordAdded"))
    report(`tells ${type} of the record ${String(id)}, which is ${isThere ? "" : "not "}there`);
  const others = records.filter(({ recordId }) => recordId !== id);
  if (type === "DnsRecordDeleted") return others;
  const changed = [...others, readRecord(property(data, "record"))];
  return changed.toSorted((left, right) => left.recordId - right.recordId);
}

function readRecord(data: unknown): RecordEntry {
  return {
    recordId: number(data, "recordId"),
    type: text(data, "type"),
    name: text(data, "name"),
    value: text(data, "value"),
    ttlSeconds: number(data, "ttlSeconds"),
    priority: property(data, "priority") === null ? null : number(data, "priority"),
  };
}

function hosts(data: unknown): readonly string[] {
  return listed(property(data, "nameservers")).map(String);
}

/**
 * Audits every registration after all runs have ended: registered and paid, or neither. A domain has its charge, at
 * the price of its reservation and not refunded; a charge that stands has its domain; a domain is delivered.
 */
export function auditRegistrations(
  { reservations, domains }: NameBook,
  charges: ReadonlyMap<string, ChargeEntry>,
  report: Report,
): void {
  for (const reservation of reservations.values()) {
    const { registrationId, name, end, accountId, netCents } = reservation;
    const charge = charges.get(registrationId);
    const isPaid = charge !== undefined && charge.refundedBy === undefined;
    if ((charge?.refundedBy ?? "RegistrationRefunded") !== "RegistrationRefunded")
      report(`${registrationId} is a registration, and was refunded as another charge`);
    if (end === "open") report(`${registrationId} of ${name} has not ended`);
    if (end === "registered" && !isPaid) report(`${name} is registered (${registrationId}) and not paid`);
    if (end !== "registered" && isPaid) report(`${name} is paid (${registrationId}) and not registered`);
    const grossCents = charge?.grossCents;
    const prices = [netCents, netCents + (netCents * 19n + 50n) / 100n];
    if (charge !== undefined && charge.accountId !== accountId)
      report(`${registrationId} was charged to account ${String(charge.accountId)}`);
    if (grossCents !== undefined && !prices.includes(grossCents))
      report(`${registrationId} was charged with ${String(grossCents)} cents at ${String(netCents)} net`);
  }
  for (const domain of domains.values()) {
    const { name, chargeId, registrationId, invoiceId, grossCents } = domain;
    const charge = charges.get(chargeId);
    const fits =
      chargeId === registrationId && charge?.invoiceId === invoiceId && charge.grossCents === grossCents;
    if (!fits) report(`${name} names another charge or invoice than it was paid with`);
    // A zone stays when the customer goes to nameservers of their own: its records are there on the way back.
    if (domain.usesServiceNameservers && domain.records === undefined)
      report(`${name} is delivered with no zone`);
    if (!domain.usesServiceNameservers && domain.hasZoneInVain)
      report(`${name} is delivered with a zone too many`);
  }
}

/** Audits that every run has ended once, with its last event, in agreement with the name's own events. */
export function auditRuns(events: readonly Event[], { reservations }: NameBook, report: Report): void {
  const runs = Map.groupBy(events, ({ stream }) => stream);
  for (const [stream] of runs) {
    const isRun = stream.startsWith("registration-") || stream.startsWith("domaintransfer-");
    if (isRun && !reservations.has(stream)) report(`${stream} runs for no reservation`);
  }
  for (const { registrationId, name, end } of reservations.values()) {
    const run = runs.get(registrationId) ?? [];
    const isEnd = (type: string | undefined): boolean =>
      type === "RegistrationCompleted" || type === "TransferCompleted";
    const ends = run.filter(({ type }) => isEnd(type));
    const last = run.at(-1);
    if (ends.length !== 1 || last === undefined || !isEnd(last.type)) {
      report(`the run ${registrationId} of ${name} stands at ${last?.type ?? "nothing"}`);
      continue;
    }
    const outcome = text(last.data, "outcome");
    if ((outcome === "delivered" || outcome === "transferred") !== (end === "registered"))
      report(`the run ${registrationId} ended as ${outcome}, but ${name} is ${end}`);
  }
}
