import { create } from "@bufbuild/protobuf";
import { addMilliseconds, type ExtensionLifeCycle } from "@hostledger/core";
import { domain } from "@hostledger/protocol";
import { turns } from "@hostledger/runtime/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { storedDomain } from "../reads/domain-row.fixture.ts";
import type { DnsRecordRow, DomainRow, ListedDomainRow } from "../reads/shown-domain.queries.ts";
import { dayMilliseconds, domainMessage } from "./domain.message.ts";
import { DetailedDomains, ListedDomains } from "./shown-domains.ts";

const row: DomainRow = {
  ...storedDomain,
  registration_date: "2026-03-01T10:00:00.000123Z",
  expiry_date: "2027-03-01T10:00:00.000123Z",
  dns_records_count: 2,
  created_at: "2026-03-01T10:00:00.000123Z",
};
const now = "2026-03-02T12:00:00.000000Z";
const lifeCycles: ReadonlyMap<string, ExtensionLifeCycle> = new Map();

const accountId = 7;
const listed: ListedDomainRow = { ...row, life_cycles_position: null, mark: "1/7/1" };

/** Returns the message of a row, cached if possible. */
async function shownAs(domains: ListedDomains, shown: ListedDomainRow, at = now): Promise<domain.Domain> {
  const known = domains.find([shown], at);
  const [message] = known ?? (await domains.show(accountId, [shown], { now: at, lifeCycles }));
  if (message === undefined) throw new Error("a row was not shown");
  return message;
}

const fresh = (shown: DomainRow, at = now): domain.Domain =>
  create(domain.DomainSchema, domainMessage(shown, { now: at, lifeCycles }));

describe("a domain in a list", () => {
  it("is the same message while its mark is the same", async () => {
    const domains = new ListedDomains();
    expect(domains.has(accountId)).toBe(false);
    expect(domains.find([listed], now)).toBeUndefined();
    const first = await shownAs(domains, listed);
    expect(first).toEqual(fresh(row));
    expect(domains.has(accountId)).toBe(true);
    expect(await shownAs(domains, { ...listed }, "2026-03-03T09:59:59.999000Z")).toBe(first);
  });

  it("changes with its version stamp, and the others of its page stay the same", async () => {
    const domains = new ListedDomains();
    const other = { ...listed, id: 4 };
    const shown = { now, lifeCycles };
    const before = await domains.show(accountId, [listed, other], shown);
    const changed = { ...listed, auto_renew: 1, mark: "1/9/1" };
    expect(domains.find([changed, other], now)).toBeUndefined();
    const after = await domains.show(accountId, [changed, other], shown);
    expect(after).toEqual([fresh(changed), before[1]]);
    expect(after[1]).toBe(before[1]);
    expect(domains.find([changed, other], now)).toEqual(after);
    expect(domains.find([listed], now)).toBeUndefined();
  });

  it("of an account without domains is always missing", async () => {
    const domains = new ListedDomains();
    expect(await domains.show(accountId, [], { now, lifeCycles })).toEqual([]);
    expect(domains.has(accountId)).toBe(true);
    expect(domains.find([], now)).toEqual([]);
  });

  it("changes after a day, and when the clock went back", async () => {
    const domains = new ListedDomains();
    expect((await shownAs(domains, listed)).daysUntilExpiry).toBe(363);
    expect((await shownAs(domains, listed, "2026-03-03T11:00:00.000000Z")).daysUntilExpiry).toBe(362);
    expect((await shownAs(domains, listed, "2026-03-01T12:00:00.000000Z")).daysUntilExpiry).toBe(364);
  });

  it("is about to expire from the millisecond on in which thirty days are left", async () => {
    const domains = new ListedDomains();
    expect((await shownAs(domains, listed, "2027-01-30T09:59:59.999500Z")).isExpiringSoon).toBe(false);
    expect((await shownAs(domains, listed, "2027-01-30T10:00:00.000050Z")).isExpiringSoon).toBe(true);
  });

  it("of a long page is made each time", async () => {
    const domains = new ListedDomains();
    const rows = Array.from({ length: 101 }, (_, at) => ({ ...listed, id: at + 1 }));
    const page = (): Promise<domain.Domain[]> => domains.show(accountId, rows, { now, lifeCycles });
    await shownAs(domains, listed);
    const first = await page();
    expect(first).toEqual(rows.map((each) => fresh(each)));
    expect((await page())[0]).not.toBe(first[0]);
    expect(domains.has(accountId)).toBe(false);
  });

  it("of a long page yields to other work before the page is complete", async () => {
    const rows = Array.from({ length: 1_001 }, (_, at) => ({ ...listed, id: at + 1 }));
    const counted = turns();
    const page = await new ListedDomains().show(accountId, rows, { now, lifeCycles });
    expect(page.map(({ id }) => Number(id))).toEqual(rows.map(({ id }) => id));
    expect(counted()).toBeGreaterThanOrEqual(10);
  });

  it("is shown as without a cache, at every read", async () => {
    const aroundDays = fc
      .tuple(fc.integer({ min: -3, max: 33 }), fc.integer({ min: -2, max: 2 }), fc.nat(999))
      .map(([days, ms, microseconds]) => {
        const near = addMilliseconds(row.expiry_date ?? now, ms - days * dayMilliseconds);
        return `${near.slice(0, -4)}${String(microseconds).padStart(3, "0")}Z`;
      });
    await fc.assert(
      fc.asyncProperty(
        fc.array(aroundDays, { minLength: 2, maxLength: 6 }),
        fc.nat(1),
        async (instants, expired) => {
          const domains = new ListedDomains();
          const shown = { ...listed, expired };
          for (const at of instants) expect(await shownAs(domains, shown, at)).toEqual(fresh(shown, at));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a domain with its records", () => {
  const record: DnsRecordRow = {
    id: 11,
    domain_id: 3,
    type: "A",
    name: "@",
    value: "192.0.2.1",
    ttl_seconds: 3_600,
    priority: null,
    created_at: "2026-03-01T10:00:00.000123Z",
  };
  const detailed = { ...row, life_cycles_position: null, records: [record], mark: "1/7/1/7/" };
  const shown = { now, lifeCycles };
  const { id, account_id, mark } = detailed;
  const marked = { id, account_id, mark };

  it("is the same message while its mark is the same", () => {
    const domains = new DetailedDomains();
    expect(domains.has(id)).toBe(false);
    expect(domains.find(marked, now)).toBeUndefined();
    const first = domains.show(detailed, shown);
    expect(first).toEqual(create(domain.DomainSchema, domainMessage(row, shown, [record])));
    expect(domains.has(id)).toBe(true);
    expect(domains.find({ ...marked }, "2026-03-03T09:59:59.999000Z")).toBe(first);
  });

  it("is made again with another version stamp, after a day, and when the clock went back", () => {
    const domains = new DetailedDomains();
    domains.show(detailed, shown);
    expect(domains.find({ ...marked, mark: "1/7/2/8/" }, now)).toBeUndefined();
    expect(domains.find(marked, "2026-03-03T11:00:00.000000Z")).toBeUndefined();
    expect(domains.find(marked, "2026-03-01T12:00:00.000000Z")).toBeUndefined();
    const changed = { ...detailed, auto_renew: 1, mark: "1/9/1/7/" };
    const after = domains.show(changed, shown);
    expect(after).toMatchObject({ autoRenew: true });
    expect(domains.find({ ...marked, mark: changed.mark }, now)).toBe(after);
    expect(domains.find(marked, now)).toBeUndefined();
  });

  it("is made each time if it has very many", () => {
    const domains = new DetailedDomains();
    const records = Array.from({ length: 101 }, (_, at) => ({ ...record, id: at + 1 }));
    expect(domains.show({ ...detailed, records }, shown).dnsRecords).toHaveLength(101);
    expect(domains.has(id)).toBe(false);
  });
});
