import { genericEndTerms, genericLifeCycle, type ExtensionLifeCycle } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { storedDomain } from "../reads/domain-row.fixture.ts";
import type { DomainRow } from "../reads/shown-domain.queries.ts";
import { domainMessage, priceEntryMessage, priceMessage } from "./domain.message.ts";

const row: DomainRow = { ...storedDomain, expiry_date: "2027-03-01T10:00:00.000000Z", dns_records_count: 2 };

const lifeCycles = new Map<string, ExtensionLifeCycle>();

describe("what happens to a domain that nobody renews", () => {
  const now = "2026-03-02T10:00:00.000000Z";
  const dates = (change: Partial<DomainRow>, of = lifeCycles) => {
    const { renewBeginsAt, holdBeginsAt, deletesAt } = domainMessage(
      { ...row, ...change },
      { now, lifeCycles: of },
    );
    return [renewBeginsAt, holdBeginsAt, deletesAt];
  };
  const [hold, gone] = ["2027-04-15T10:00:00.000000Z", "2027-05-20T10:00:00.000000Z"];

  it("has its dates: 45, 30 and 5 days unless its extension has others", () => {
    expect(dates({})).toEqual([undefined, hold, gone]);
    const de = new Map([["com", { ...genericLifeCycle, graceDays: 0, pendingDeleteDays: 0 }]]);
    expect(dates({}, de)).toEqual([undefined, row.expiry_date, "2027-03-31T10:00:00.000000Z"]);
  });

  it("contains the date of its automatic renewal, if that is on", () => {
    const renewing = { auto_renew: 1 };
    expect(dates(renewing)[0]).toBe("2027-02-22T10:00:00.000000Z");
    for (const change of [{ expired: 1 }, { suspended: 1 }])
      expect(dates({ ...renewing, ...change })).toEqual([undefined, hold, gone]);
  });

  it("is nothing while it is on its way", () => {
    for (const change of [{ transferring: 1 }, { transferring: 1, expiry_date: null }])
      expect(dates({ auto_renew: 1, ...change })).toEqual([undefined, undefined, undefined]);
  });
});

describe("the expiry of a domain", () => {
  it.each([
    ["a year before", "2026-03-01T10:00:00.000000Z", 365, false],
    ["just over thirty days before", "2027-01-30T09:59:59.999000Z", 30, false],
    ["thirty days before", "2027-01-30T10:00:00.000000Z", 30, true],
    ["less than a day before", "2027-02-28T10:00:00.001000Z", 0, true],
    ["at its moment", "2027-03-01T10:00:00.000000Z", 0, false],
    ["after it", "2027-03-05T10:00:00.000000Z", 0, false],
  ])("%s", (_, now, daysUntilExpiry, isExpiringSoon) => {
    expect(domainMessage(row, { now, lifeCycles })).toMatchObject({ daysUntilExpiry, isExpiringSoon });
  });

  it("is over without a renewal: an expired domain does not expire again", () => {
    const now = "2027-03-01T10:00:00.000000Z";
    const expired = { ...row, expired: 1 };
    expect(domainMessage(expired, { now, lifeCycles })).toMatchObject({
      status: "expired",
      daysUntilExpiry: 0,
      isExpiringSoon: false,
    });
  });
});

describe("the status of a domain", () => {
  it.each([
    [{}, "active"],
    [{ transferring: 1 }, "transferring"],
    [{ suspended: 1 }, "suspended"],
    [{ expired: 1 }, "expired"],
    [{ suspended: 1, transferring: 1 }, "suspended"],
    [{ suspended: 1, transferring: 1, expired: 1 }, "expired"],
  ])("of %o is %s", (flags, status) => {
    expect(domainMessage({ ...row, ...flags }, { now: row.created_at, lifeCycles })).toMatchObject({
      status,
    });
  });
});

describe("a row as a message", () => {
  const now = "2026-03-01T10:00:00.000000Z";

  it("has booleans, ids and hosts of their own types", () => {
    expect(domainMessage(row, { now, lifeCycles })).toMatchObject({
      id: 3n,
      autoRenew: false,
      whoisPrivacy: true,
      lockStatus: true,
      usesServiceNameservers: true,
      nameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
      dnsRecordsCount: 2,
      dnsRecords: [],
    });
  });

  it("contains the priority of a record that has one", () => {
    const record = {
      id: 20,
      domain_id: 3,
      type: "MX",
      name: "@",
      value: "mail.example.com",
      ttl_seconds: 3_600,
      priority: 10,
      created_at: now,
    };
    const { dnsRecords } = domainMessage(row, { now, lifeCycles }, [
      record,
      { ...record, id: 21, priority: null },
    ]);
    expect(dnsRecords).toEqual([
      { id: 20n, type: "MX", name: "@", value: "mail.example.com", ttl: 3_600, priority: 10, createdAt: now },
      { id: 21n, type: "MX", name: "@", value: "mail.example.com", ttl: 3_600, createdAt: now },
    ]);
  });

  it("shows staff whether an extension is sold, and customers only its prices", () => {
    const prices = {
      tld: "com",
      registration_cents: 1_000,
      renewal_cents: 1_200,
      transfer_cents: 0,
      active: 0,
      registrar: null,
    };
    const amounts = { tld: "com", registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 0n };
    expect(priceMessage({ ...prices, ...genericEndTerms })).toEqual(amounts);
    const restoring = { ...prices, ...genericEndTerms, restoreCents: 8_000n };
    expect(priceMessage(restoring)).toEqual({ ...amounts, restoreCents: 8_000n });
    const entry = { ...amounts, active: false, ...genericLifeCycle, restoreCents: 8_000n };
    expect(priceEntryMessage({ ...restoring, announced: undefined })).toEqual(entry);
    const validFrom = "2027-01-01T00:00:00.000000Z";
    const announced = { ...prices, active: 1, valid_from: validFrom };
    expect(priceEntryMessage({ ...restoring, announced }).announced).toMatchObject({
      registrationCents: 1_000n,
      active: true,
      validFrom,
    });
  });
});
