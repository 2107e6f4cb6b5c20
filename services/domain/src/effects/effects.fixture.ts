import { domainCodec, type DomainNameEvent, type RecordedDnsRecord } from "@hostledger/core";
import { eventsOf } from "@hostledger/store";
import type { Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { defined } from "@hostledger/runtime";
import { onTestFinished } from "vitest";

import {
  openDomainService,
  type DomainClient,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "../domain-service.fixture.ts";

/** Changes that fail are tried again by the rounds. */
const usual = { changeWaitLimitMs: 2_000, lifeCycleIntervalMs: 1_000 };

/** A domain of a customer, for specs of its changes. */
export interface DomainFixture {
  readonly service: DomainServiceFixture;
  readonly domains: DomainClient;
  readonly accountId: number;
  readonly domainId: bigint;
  readonly name: string;
}

/** Opens the service with a registered domain; it is closed after the test. */
export async function openDomain(
  options: DomainServiceFixtureOptions = {},
  { name = "example.com", nameservers = [] }: { name?: string; nameservers?: string[] } = {},
): Promise<DomainFixture> {
  const service = await openDomainService({ ...usual, ...options });
  onTestFinished(() => service.close().catch(() => undefined));
  const { domains, accountId } = service.customer();
  const { domain } = await domains.registerDomain({ domain: name, nameservers });
  if (domain === undefined) throw new Error("the answer has a domain");
  return { service, domains, accountId, domainId: domain.id, name };
}

/** A registrar of which some calls do something else. */
export function registrarThat(
  calls: (provider: Registrar) => Partial<Registrar>,
): Pick<DomainServiceFixtureOptions, "registrar"> {
  return { registrar: (provider) => ({ ...plainRegistrar(provider), ...calls(provider) }) };
}

/** The domain as its customer reads it. */
export async function readDomain({ domains, domainId }: DomainFixture) {
  const { domain } = await domains.getDomain({ domainId });
  if (domain === undefined) throw new Error("the answer has a domain");
  return domain;
}

/** The same domain with another service over the same events, as after a crash. */
export async function reopenDomain(
  { service, accountId, domainId, name }: DomainFixture,
  options: DomainServiceFixtureOptions = {},
): Promise<DomainFixture> {
  const next = await service.restart({ ...usual, ...options });
  onTestFinished(() => next.close().catch(() => undefined));
  return {
    service: next,
    domains: next.domains({ kind: "account", accountId, keyId: 1 }),
    accountId,
    domainId,
    name,
  };
}

/** The events of the domain, oldest first. */
export async function storedEventsOf({ service, name }: DomainFixture): Promise<DomainNameEvent[]> {
  const events: DomainNameEvent[] = [];
  for await (const { event } of eventsOf(service.store, `domain-${name}`, domainCodec)) events.push(event);
  return events;
}

/** The types of the events of changes, oldest first. */
export async function changesOf(domain: DomainFixture): Promise<string[]> {
  const types = (await storedEventsOf(domain)).map(({ type }) => type);
  return types.slice(types.indexOf("DomainRegistered") + 1).filter((type) => type !== "ZoneCreated");
}

/** The records that the events say there are, in the form of the DNS server. */
export async function recordsOf(domain: DomainFixture): Promise<unknown[]> {
  const records = new Map<number, RecordedDnsRecord>();
  for (const { type, data } of await storedEventsOf(domain)) {
    if (type === "ZoneCreated") for (const record of data.records) records.set(record.recordId, record);
    if (type === "DnsRecordAdded" || type === "DnsRecordUpdated")
      records.set(data.record.recordId, data.record);
    if (type === "DnsRecordDeleted") records.delete(data.recordId);
  }
  return sorted(
    [...records.values()].map(({ recordId: _, priority, ...record }) => ({
      ...record,
      ...defined({ priority: priority ?? undefined }),
    })),
  );
}

/** The records that the DNS server holds. */
export function heldRecords({ service, name }: DomainFixture): unknown[] {
  return sorted([...(service.sandbox.show().dns.find((zone) => zone.name === name)?.records ?? [])]);
}

/** Returns the domain as the registrar holds it. */
export function heldDomain({ service, name }: DomainFixture) {
  return service.sandbox.show().registrar.find((held) => held.name === name);
}

interface Said {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

function sorted(records: readonly Said[]): unknown[] {
  const keyOf = ({ type, name, value }: Said) => JSON.stringify([type, name, value]);
  return records.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}
