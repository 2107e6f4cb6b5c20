import { changeEvents } from "./domain-changes.fixture.ts";
import { deliveryEvents } from "./domain-delivery.fixture.ts";
import { registryEvents } from "./domain-registry-news.fixture.ts";
import { renewalEvents } from "./domain-renewal.fixture.ts";
import { statusEvents } from "./domain-status.fixture.ts";
import { transferEvents } from "./domain-transfer.fixture.ts";
import type { RegistrationNameCommand, ReserveRegistration } from "./domain.commands.ts";
import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { DomainNameEvent, RegistrationReserved } from "./domain.events.ts";

/** Examples of a name's commands and events, for specs: the registration r-1 of example.com by account 7. */

export const at = "2026-03-01T10:00:00.000000Z";
export const registrationId = "r-1";
export const serviceNameservers = ["ns1.hostledger.test", "ns2.hostledger.test"] as const;
export const customNameservers = ["ns1.customer.test", "ns2.customer.test"] as const;

const order: Omit<RegistrationReserved["data"], "reservedAt"> = {
  registrationId,
  domainId: 3,
  accountId: 7,
  name: "example.com",
  years: 2,
  autoRenew: false,
  nameservers: null,
  yearNetCents: "1000",
  provider: "sandbox",
};

const records = ["@", "www"].map((name, index): RecordedDnsRecord => ({
  recordId: 20 + index,
  type: "A",
  name,
  value: "192.0.2.1",
  ttlSeconds: 3_600,
  priority: null,
}));

const outcome = {
  registrationId,
  provider: "sandbox",
  whoisPrivacy: true,
  transferLock: true,
  nameservers: serviceNameservers,
  chargeId: registrationId,
  invoiceId: 101,
  grossCents: "2380",
  registeredAt: at,
  expiresAt: "2028-03-01T10:00:00.000000Z",
} as const;

const { nameservers: _, yearNetCents: __, provider: ___, ...owned } = order;

export function reserve(data: Partial<ReserveRegistration["data"]> = {}): ReserveRegistration {
  return { type: "ReserveRegistration", data: { ...order, at, ...data } };
}

export const commands = {
  ReserveRegistration: reserve(),
  ReleaseRegistration: { type: "ReleaseRegistration", data: { registrationId, reason: "order-refused", at } },
  HoldRegistration: { type: "HoldRegistration", data: { registrationId, at } },
  RegisterDomain: { type: "RegisterDomain", data: outcome },
  RecordZoneCreated: { type: "RecordZoneCreated", data: { registrationId, records, at } },
  RecordZoneFailed: {
    type: "RecordZoneFailed",
    data: { registrationId, reason: "The DNS server is down", at },
  },
  RecordNameserversChanged: {
    type: "RecordNameserversChanged",
    data: { registrationId, nameservers: customNameservers, at },
  },
  RecordNameserversRefused: {
    type: "RecordNameserversRefused",
    data: { registrationId, requested: customNameservers, reason: "No such host", at },
  },
} as const satisfies Readonly<Record<RegistrationNameCommand["type"], RegistrationNameCommand>>;

export const samples = {
  RegistrationReserved: { type: "RegistrationReserved", data: { ...order, reservedAt: at } },
  RegistrationReleased: {
    type: "RegistrationReleased",
    data: { registrationId, reason: "order-refused", releasedAt: at },
  },
  RegistrationHeld: { type: "RegistrationHeld", data: { registrationId, heldAt: at } },
  DomainRegistered: { type: "DomainRegistered", data: { ...owned, ...outcome } },
  ZoneCreated: { type: "ZoneCreated", data: { domainId: 3, records, createdAt: at } },
  ZoneCreationFailed: {
    type: "ZoneCreationFailed",
    data: { domainId: 3, accountId: 7, name: "example.com", reason: "The DNS server is down", failedAt: at },
  },
  NameserversChanged: {
    type: "NameserversChanged",
    data: { domainId: 3, usesServiceNameservers: false, nameservers: customNameservers, changedAt: at },
  },
  NameserversRefused: {
    type: "NameserversRefused",
    data: { domainId: 3, requested: customNameservers, reason: "No such host", refusedAt: at },
  },
  ...changeEvents,
  ...deliveryEvents,
  ...renewalEvents,
  ...registryEvents,
  ...statusEvents,
  ...transferEvents,
} as const satisfies Readonly<Record<DomainNameEvent["type"], DomainNameEvent>>;
