import { randomUUID } from "node:crypto";

import {
  openEmbeddedEventStore,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from "@hostledger/store";

import { storeEdge } from "../peers/accounts.ts";

/** Number of domains of an account. */
export interface Owner {
  readonly accountId: number;
  readonly domains: number;
}

/** Ids of the domains begin above this: below are those that are registered in earnest, of which each start takes a part anew. */
export const firstDomainId = 1_000_001;

/** Domains that are on their way to the store at a time. */
const domainsAhead = 4_000;

/**
 * Gives accounts many more domains: appends to the closed store of an instance the events of one real registration on it,
 * over and over, under other names and ids: those of the domain until its zone is there, and those of its run. The charge is left out.
 *
 * @param template name of the registered domain.
 */
export async function writeDomains(path: string, template: string, owners: readonly Owner[]): Promise<void> {
  const store = await openEmbeddedEventStore({ path, ...storeEdge });
  try {
    const recorded = await eventsOf(store, template);
    let id = firstDomainId;
    for (const { accountId, domains } of owners) {
      for (let left = domains; left > 0; left -= domainsAhead) {
        const batch = Array.from({ length: Math.min(left, domainsAhead) }, async (_, at) => {
          const domainId = id + at;
          const copied = (events: readonly RecordedEvent[]) =>
            events.map((event) => renamed(event, domainId, accountId));
          await store.append(`domain-bench-${String(domainId)}.com`, "no-stream", copied(recorded.ofDomain));
          await store.append(runOf(domainId), "no-stream", copied(recorded.ofRun));
        });
        await Promise.all(batch);
        id += batch.length;
      }
    }
  } finally {
    await store.close();
  }
}

interface Registered {
  readonly ofDomain: readonly RecordedEvent[];
  readonly ofRun: readonly RecordedEvent[];
}

async function eventsOf(store: EventStore, template: string): Promise<Registered> {
  const ofDomain: RecordedEvent[] = [];
  for await (const event of store.read(`domain-${template}`))
    if (/^(RegistrationReserved|DomainRegistered|ZoneCreated)\./.test(event.type)) ofDomain.push(event);
  if (ofDomain.length !== 3) throw new Error(`${template} has ${String(ofDomain.length)} events, not three`);
  const run = /"registrationId":"([^"]+)"/.exec(ofDomain[0]?.data ?? "")?.[1] ?? "";
  const ofRun: RecordedEvent[] = [];
  for await (const event of store.read(run)) ofRun.push(event);
  if (ofRun.at(-1)?.type.startsWith("RegistrationCompleted.") !== true)
    throw new Error(`the run of ${template} has not ended`);
  return { ofDomain, ofRun };
}

function runOf(domainId: number): string {
  return `registration-bench-${String(domainId)}`;
}

function renamed(
  { type, data, metadata }: RecordedEvent,
  domainId: number,
  accountId: number,
): EventToAppend {
  const members: Readonly<Record<string, unknown>> = {
    domainId,
    accountId,
    name: `bench-${String(domainId)}.com`,
    registrationId: runOf(domainId),
    chargeId: `bench-${String(domainId)}`,
  };
  // A record is named `@` or `www`: only a name that is a domain's is another one.
  const member = (name: string, value: unknown): unknown => {
    if (name === "recordId" && typeof value === "number") return domainId * 10 + (value % 10);
    if (name === "name" && !String(value).includes(".")) return value;
    return Object.hasOwn(members, name) ? members[name] : value;
  };
  return { id: randomUUID(), type, data: JSON.stringify(JSON.parse(data, member)), metadata };
}
