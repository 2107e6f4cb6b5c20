import { join } from "node:path";

import { domainExamples } from "@hostledger/core/testing";
import { openTestStore } from "@hostledger/store/testing";
import { systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import fc from "fast-check";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import { keptLifeCycles } from "../rpc/kept-life-cycles.ts";
import { DetailedDomains, ListedDomains } from "../rpc/shown-domains.ts";
import { examples } from "./domain-subscription.fixture.ts";
import { domainQueries, type DomainQueries } from "./domain.queries.ts";
import { domainSubscriptionCodec, type DomainSubscriptionEvent } from "./domain.subscription.ts";
import { domains } from "./domains.projection.ts";
import { prices } from "./prices.projection.ts";
import { openProjected, toAppend } from "./projected-reads.fixture.ts";

const accountId = 7;
/** Not a moment at which the number of days left changes, because cached messages end then. */
const now = "2026-03-05T12:00:00.000000Z";
const firstPage = { afterId: 0, limit: 100 };

/** Reads of domains in a database of their own. */
interface Reads {
  readonly queries: DomainQueries;
  rebuild(): Promise<unknown>;
  record(stream: string, ...events: readonly DomainSubscriptionEvent[]): Promise<void>;
}

async function openReads(): Promise<Reads> {
  const directory = directoryOfTest();
  const store = await openTestStore(join(directory, "events.sqlite"), { now: systemClock().now });
  onTestFinished(() => store.close());
  const { database, projector } = await openProjected(store, directory, [domains, prices]);
  return {
    queries: domainQueries(database),
    rebuild: () => projector.rebuild(),
    async record(stream, ...storedEvents) {
      const events = storedEvents.map((event) => toAppend(domainSubscriptionCodec, event));
      const { position } = await store.append(stream, "any", events);
      expect(await projector.after(position, { limitMs: 30_000 })).toBe(true);
    },
  };
}

const nameOf = (domainId: number): string => `shown-${String(domainId)}.com`;

const about = (type: keyof typeof examples, data: object): DomainSubscriptionEvent =>
  domainSubscriptionCodec.decode(
    domainSubscriptionCodec.storedType(type),
    JSON.stringify({ ...examples[type].data, ...data }),
  );

function register(domainId: number): DomainSubscriptionEvent {
  return about("DomainRegistered", { domainId, accountId, name: nameOf(domainId) });
}

function addRecord(domainId: number, recordId: number, value = "192.0.2.1"): DomainSubscriptionEvent {
  const record = { recordId, type: "A", name: "@", value, ttlSeconds: 60, priority: null };
  return about("DnsRecordAdded", { domainId, record, addedAt: domainExamples.at });
}

let reads: Reads;

beforeEach(async () => {
  reads = await openReads();
});

it.each([0, 1, 3, 100, 101, 150])("a domain of %d records is read as its row and they are", async (count) => {
  const records = Array.from({ length: count }, (_, at) => addRecord(1, at + 1));
  await reads.record("domain-shown-1.com", register(1), ...records);
  await reads.record("domain-shown-2.com", register(2), addRecord(2, 1_000));
  const detailed = await reads.queries.domainWithRecords(1);
  expect(detailed?.records).toHaveLength(count);
  expect(detailed).toMatchObject({
    ...(await reads.queries.domainById(1)),
    life_cycles_position: null,
    records: (await reads.queries.recordsOf(1)).map(
      ({ id, domain_id, type, name, value, ttl_seconds, priority, created_at }) => ({
        id,
        domain_id,
        type,
        name,
        value,
        ttl_seconds,
        priority,
        created_at,
      }),
    ),
  });
  expect(await reads.queries.domainWithRecords(3)).toBeUndefined();
});

it("a domain is recognised by its version stamp, and by another after a rebuild", async () => {
  const { queries, record, rebuild } = reads;
  await record("domain-shown-1.com", register(1), addRecord(1, 1));
  const mark = async (): Promise<string | undefined> => (await queries.markedDomain(1))?.mark;
  const first = await mark();
  expect(first).toBeDefined();
  expect((await queries.domainWithRecords(1))?.mark).toBe(first);
  await record("domain-shown-2.com", register(2), addRecord(2, 2));
  expect(await mark()).toBe(first);
  await record("domain-shown-1.com", addRecord(1, 3));
  const second = await mark();
  expect(second).not.toBe(first);
  await rebuild();
  expect(await mark()).not.toBe(second);
  expect(await queries.markedDomain(3)).toBeUndefined();
});

/** An event about one of three domains, or about their extension. */
const happening = fc.record({
  kind: fc.constantFrom("auto-renewal", "record", "change", "removal", "end", "life cycle"),
  domain: fc.nat(2),
  number: fc.integer({ min: 1, max: 80 }),
});

it("cached reads equal fresh reads, whatever happens in between", async () => {
  const { queries, record } = reads;
  const lists = new ListedDomains();
  const details = new DetailedDomains();
  const lifeCyclesFor = keptLifeCycles(queries);
  let ids = 0;

  async function expectSameAsAnew(domainIds: readonly number[]): Promise<void> {
    const shown = { now, lifeCycles: await queries.lifeCycles() };
    const marks = await queries.marksOf(accountId, firstPage);
    const known = lists.find(marks, now);
    const rows = await queries.domainsOf(accountId, firstPage);
    expect(marks).toEqual(rows.map(({ id, mark }) => ({ id, mark })));
    const anew = await new ListedDomains().show(accountId, rows, shown);
    if (known !== undefined) expect(known).toEqual(anew);
    const lifeCycles = await lifeCyclesFor(rows);
    expect(await lists.show(accountId, rows, { now, lifeCycles })).toEqual(anew);
    expect(lists.find(marks, now)).toEqual(anew);
    for (const domainId of domainIds) {
      const row = await queries.domainWithRecords(domainId);
      expect(row === undefined).toBe((await queries.domainById(domainId)) === undefined);
      if (row === undefined) continue;
      const marked = await queries.markedDomain(domainId);
      expect(marked).toEqual({ id: domainId, account_id: accountId, mark: row.mark });
      const known = details.find(row, now);
      const records = await queries.recordsOf(domainId);
      const anew = new DetailedDomains().show({ ...row, records }, shown);
      if (known !== undefined) expect(known).toEqual(anew);
      expect(details.show(row, { now, lifeCycles: await lifeCyclesFor([row]) })).toEqual(anew);
      expect(details.find(row, now)).toEqual(anew);
    }
  }

  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 10 }), async (happenings) => {
      const domainIds = [ids + 1, ids + 2, ids + 3];
      ids += 3;
      for (const domainId of domainIds)
        await record(`domain-${nameOf(domainId)}`, register(domainId), addRecord(domainId, domainId));
      await expectSameAsAnew(domainIds);
      const ended = new Set<number>();
      for (const { kind, domain, number } of happenings) {
        const domainId = domainIds[domain] ?? 0;
        if (ended.has(domainId) && kind !== "life cycle") continue;
        const value = `192.0.2.${String(number)}`;
        const changed = { recordId: domainId, type: "A", name: "@", value, ttlSeconds: 60, priority: null };
        const stream = kind === "life cycle" ? "pricelist-com" : `domain-${nameOf(domainId)}`;
        const events = {
          "auto-renewal": about("AutoRenewalChanged", { domainId, autoRenew: number % 2 === 0 }),
          record: addRecord(domainId, 1_000_000 + domainId * 1_000 + number, value),
          change: about("DnsRecordUpdated", { domainId, record: changed }),
          removal: about("DnsRecordDeleted", { domainId, recordId: domainId }),
          end: about("DomainDeleted", { domainId, accountId, name: nameOf(domainId) }),
          "life cycle": about("ExtensionLifeCycleSet", { tld: "com", graceDays: number }),
        };
        if (kind === "end") ended.add(domainId);
        // A repeated number would be the same record.
        if (kind === "record" && (await queries.recordById(1_000_000 + domainId * 1_000 + number))) continue;
        await record(stream, events[kind]);
        await expectSameAsAnew(domainIds);
      }
    }),
    { numRuns: 12 },
  );
});

it("terms of extensions are read again only after they changed", async () => {
  let looked = 0;
  const lifeCyclesFor = keptLifeCycles({
    lifeCycles: () => {
      looked += 1;
      return reads.queries.lifeCycles();
    },
  });
  await reads.record("domain-shown-1.com", register(1));
  const graceDays = async (): Promise<number | undefined> => {
    const rows = await reads.queries.domainsOf(accountId, firstPage);
    return (await lifeCyclesFor(rows)).get("com")?.graceDays;
  };
  expect([await graceDays(), await graceDays(), looked]).toEqual([undefined, undefined, 1]);
  await reads.record("pricelist-com", about("ExtensionLifeCycleSet", { tld: "com", graceDays: 9 }));
  expect([await graceDays(), await graceDays(), looked]).toEqual([9, 9, 2]);
  await reads.record("pricelist-org", about("ExtensionLifeCycleSet", { tld: "org", graceDays: 8 }));
  expect([await graceDays(), looked]).toEqual([9, 3]);
});
