import { create } from "@bufbuild/protobuf";
import { addMilliseconds, genericLifeCycle, type ExtensionLifeCycle } from "@hostledger/core";
import { domain } from "@hostledger/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { storedDomain } from "../reads/domain-row.fixture.ts";
import type { DnsRecordRow, DomainRow } from "../reads/shown-domain.queries.ts";
import { dayMilliseconds, domainMessage } from "./domain.message.ts";
import { DetailedDomains, ShownDomains } from "./shown-domains.ts";

const row: DomainRow = {
  ...storedDomain,
  registration_date: "2026-03-01T10:00:00.000123Z",
  expiry_date: "2027-03-01T10:00:00.000123Z",
  dns_records_count: 2,
  created_at: "2026-03-01T10:00:00.000123Z",
};
const now = "2026-03-02T12:00:00.000000Z";
const lifeCycles: ReadonlyMap<string, ExtensionLifeCycle> = new Map();

/** Another value of each column: a new one does not compile before it is here. */
const others: Omit<DomainRow, "id"> = {
  account_id: 8,
  domain_name: "example.org",
  suspended: 1,
  suspension_reason: "Phishing",
  offline: 1,
  transferring: 1,
  expired: 1,
  provider: "epp",
  auto_renew: 1,
  whois_privacy: 0,
  lock_status: 0,
  uses_service_nameservers: 0,
  nameservers: "[]",
  registration_date: null,
  expiry_date: null,
  dns_records_count: 3,
  created_at: "2026-03-01T10:00:00.000124Z",
};

/** What one row is shown as. */
function shownAs(domains: ShownDomains, shown: DomainRow, at = now, of = lifeCycles): domain.Domain {
  const [message] = domains.page([shown], { now: at, lifeCycles: of });
  if (message === undefined) throw new Error("a row was not shown");
  return message;
}

const fresh = (shown: DomainRow, at = now, of = lifeCycles): domain.Domain =>
  create(domain.DomainSchema, domainMessage(shown, { now: at, lifeCycles: of }));

describe("a domain in a list", () => {
  it("is the same message while nothing of it changes", () => {
    const domains = new ShownDomains();
    const first = shownAs(domains, row);
    expect(first).toEqual(fresh(row));
    expect(shownAs(domains, { ...row }, "2026-03-03T09:59:59.999000Z")).toBe(first);
    expect(shownAs(domains, { ...row }, now, new Map([["com", { ...genericLifeCycle }]]))).toBe(first);
  });

  it.each(Object.entries(others))("is another one when %s changes", (column, value) => {
    const domains = new ShownDomains();
    const before = shownAs(domains, row);
    const changed = { ...row, [column]: value };
    const after = shownAs(domains, changed);
    expect(after).not.toBe(before);
    expect(after).toEqual(fresh(changed));
  });

  it.each(["graceDays", "redemptionDays", "pendingDeleteDays"] as const)(
    "is another one when its extension has other %s",
    (days) => {
      const domains = new ShownDomains();
      shownAs(domains, row);
      const longer = new Map([["com", { ...genericLifeCycle, [days]: 9 }]]);
      expect(shownAs(domains, row, now, longer)).toEqual(fresh(row, now, longer));
    },
  );

  it("is another one after a day, and when the clock went back", () => {
    const domains = new ShownDomains();
    expect(shownAs(domains, row).daysUntilExpiry).toBe(363);
    expect(shownAs(domains, row, "2026-03-03T11:00:00.000000Z").daysUntilExpiry).toBe(362);
    expect(shownAs(domains, row, "2026-03-01T12:00:00.000000Z").daysUntilExpiry).toBe(364);
  });

  it("is about to expire from the millisecond on in which thirty days are left", () => {
    const domains = new ShownDomains();
    expect(shownAs(domains, row, "2027-01-30T09:59:59.999500Z").isExpiringSoon).toBe(false);
    expect(shownAs(domains, row, "2027-01-30T10:00:00.000050Z").isExpiringSoon).toBe(true);
  });

  it("of a long page is made each time", () => {
    const domains = new ShownDomains();
    const rows = Array.from({ length: 101 }, (_, at) => ({ ...row, id: at + 1 }));
    const first = domains.page(rows, { now, lifeCycles });
    expect(first).toEqual(rows.map((each) => fresh(each)));
    expect(domains.page(rows, { now, lifeCycles })[0]).not.toBe(first[0]);
  });

  it("is shown as one that was never kept, whenever it is looked at", () => {
    const aroundDays = fc
      .tuple(fc.integer({ min: -3, max: 33 }), fc.integer({ min: -2, max: 2 }), fc.nat(999))
      .map(([days, ms, microseconds]) => {
        const near = addMilliseconds(row.expiry_date ?? now, ms - days * dayMilliseconds);
        return `${near.slice(0, -4)}${String(microseconds).padStart(3, "0")}Z`;
      });
    fc.assert(
      fc.property(fc.array(aroundDays, { minLength: 2, maxLength: 6 }), fc.nat(1), (instants, expired) => {
        const domains = new ShownDomains();
        const shown = { ...row, expired };
        for (const at of instants) expect(shownAs(domains, shown, at)).toEqual(fresh(shown, at));
      }),
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

  it("is to be made anew with another mark, after a day, and when the clock went back", () => {
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

  it("is made each time where it has very many", () => {
    const domains = new DetailedDomains();
    const records = Array.from({ length: 101 }, (_, at) => ({ ...record, id: at + 1 }));
    expect(domains.show({ ...detailed, records }, shown).dnsRecords).toHaveLength(101);
    expect(domains.has(id)).toBe(false);
  });
});
