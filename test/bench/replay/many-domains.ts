import { randomUUID } from "node:crypto";

import {
  openEmbeddedEventStore,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from "@hostledger/event-store";

import { storeEdge } from "../peers/accounts.ts";

/** How many domains an account shall have. */
export interface Owner {
  readonly accountId: number;
  readonly domains: number;
}

/** Ids of the domains begin above this: below are those that are registered in earnest, of which each start takes a part anew. */
export const firstDomainId = 1_000_001;

/** Domains that are on their way to the store at a time. */
const domainsAhead = 4_000;

/**
 * Gives accounts many more domains: appends to the closed store of an instance what one real registration on it came
 * to, over and over, under other names and ids. Only the facts that the read models show are written, a domain's own,
 * and not those of its charge and its run: a million of all of them would take half an hour.
 *
 * @param template name of the registered domain.
 */
export async function writeDomains(path: string, template: string, owners: readonly Owner[]): Promise<void> {
  const store = await openEmbeddedEventStore({ path, ...storeEdge });
  try {
    const recorded = await factsOf(store, template);
    let id = firstDomainId;
    for (const { accountId, domains } of owners) {
      for (let left = domains; left > 0; left -= domainsAhead) {
        const batch = Array.from({ length: Math.min(left, domainsAhead) }, (_, at) => {
          const domainId = id + at;
          const events = recorded.map((event) => renamed(event, domainId, accountId));
          return store.append(`domain-bench-${String(domainId)}.com`, "no-stream", events);
        });
        await Promise.all(batch);
        id += batch.length;
      }
    }
  } finally {
    await store.close();
  }
}

async function factsOf(store: EventStore, template: string): Promise<readonly RecordedEvent[]> {
  const facts: RecordedEvent[] = [];
  for await (const event of store.read(`domain-${template}`)) {
    if (/^(DomainRegistered|ZoneCreated)\./.test(event.type)) facts.push(event);
  }
  if (facts.length !== 2) throw new Error(`${template} has ${String(facts.length)} facts, not two`);
  return facts;
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
    registrationId: `bench-${String(domainId)}`,
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
