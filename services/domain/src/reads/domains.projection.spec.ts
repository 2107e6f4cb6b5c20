import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { storedDomain } from "./domain-row.fixture.ts";
import type { DomainSubscriptionEvent } from "./domain.subscription.ts";
import { examples, stored } from "./domain-subscription.fixture.ts";
import type { domainTables } from "./domain.tables.ts";
import { domains } from "./domains.projection.ts";

type Rows = ExpectedRows<typeof domainTables>;

const at = "2026-03-01T10:00:00.000000Z";

const moving = {
  ...storedDomain,
  id: 4,
  domain_name: "moved.com",
  transferring: 1,
  auto_renew: 1,
  whois_privacy: 0,
  lock_status: 0,
  uses_service_nameservers: 0,
  nameservers: "[]",
  registration_date: null,
  expiry_date: null,
};

const record = {
  id: 20,
  domain_id: 3,
  type: "A",
  name: "@",
  value: "192.0.2.1",
  ttl_seconds: 3_600,
  priority: null,
  created_at: at,
};

const mail = {
  ...record,
  id: 22,
  type: "MX",
  value: "mail.example.com",
  priority: 10,
  created_at: "2026-04-01T10:00:00.000000Z",
};

describe("domains", () => {
  const registered: Rows = { domains: [storedDomain], dns_records: [] };

  /** Expected change of a registered domain's row by event; other events change nothing. */
  const changed: Readonly<Partial<Record<DomainSubscriptionEvent["type"], Rows>>> = {
    ZoneCreated: { domains: [storedDomain], dns_records: [record, { ...record, id: 21, name: "www" }] },
    NameserversChanged: {
      domains: [
        {
          ...storedDomain,
          uses_service_nameservers: 0,
          nameservers: '["ns1.customer.test","ns2.customer.test"]',
        },
      ],
      dns_records: [],
    },
    DnsRecordAdded: { domains: [storedDomain], dns_records: [mail] },
    AutoRenewalChanged: { domains: [{ ...storedDomain, auto_renew: 1 }], dns_records: [] },
    WhoisPrivacyChanged: { domains: [{ ...storedDomain, whois_privacy: 0 }], dns_records: [] },
    TransferLockChanged: { domains: [{ ...storedDomain, lock_status: 0 }], dns_records: [] },
    DomainRenewed: {
      domains: [{ ...storedDomain, expiry_date: "2029-03-01T10:00:00.000000Z" }],
      dns_records: [],
    },
    DomainExpiryFollowed: {
      domains: [{ ...storedDomain, expiry_date: "2029-03-01T10:00:00.000000Z" }],
      dns_records: [],
    },
    DomainDeleted: { domains: [], dns_records: [] },
    DomainTransferredAway: { domains: [], dns_records: [] },
    DomainExpired: { domains: [{ ...storedDomain, expired: 1 }], dns_records: [] },
    DomainSuspended: { domains: [{ ...storedDomain, suspended: 1 }], dns_records: [] },
    DomainTakenOffline: { domains: [{ ...storedDomain, offline: 1 }], dns_records: [] },
    DomainTransferStarted: { domains: [{ ...storedDomain, transferring: 1 }], dns_records: [] },
    TransferReserved: { domains: [storedDomain, moving], dns_records: [] },
  };
  /** Events that undo or follow others, and change nothing alone. */
  const following = [
    "DomainBroughtOnline",
    "TransferReleased",
    "DomainTransferredIn",
    "DnsRecordUpdated",
    "DnsRecordDeleted",
    "DomainUnsuspended",
    "DomainTransferEnded",
  ];
  const { DomainRegistered, ...others } = examples;

  test("DomainRegistered", () => {
    projectionSpec(domains).when(stored(DomainRegistered)).then(registered);
  });

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(domains)
      .given(stored(DomainRegistered))
      .when(stored(event))
      .then(changed[event.type] ?? registered);
  });

  it("begin with the registration: a reserved name has no row", () => {
    projectionSpec(domains)
      .given(stored(examples.RegistrationReserved))
      .when(stored(examples.RegistrationReleased))
      .then({ domains: [], dns_records: [] });
  });

  it("on their way to us have a row without dates, and the registrar's dates after their arrival", () => {
    const arrived = {
      ...moving,
      transferring: 0,
      whois_privacy: 1,
      lock_status: 1,
      nameservers: '["ns1.elsewhere.test","ns2.elsewhere.test"]',
      registration_date: "2024-11-21T10:00:00.000000Z",
      expiry_date: "2027-11-21T10:00:00.000000Z",
    };
    const given = projectionSpec(domains).given(stored(examples.TransferReserved));
    given.when(stored(examples.DomainTransferredIn)).then({ domains: [arrived], dns_records: [] });
    given.when(stored(examples.TransferReleased)).then({ domains: [], dns_records: [] });
  });

  describe("with records", () => {
    const { ZoneCreated, DnsRecordAdded, DnsRecordUpdated, DnsRecordDeleted } = examples;
    const zoned = projectionSpec(domains).given(stored(DomainRegistered), stored(ZoneCreated));
    const www = { ...record, id: 21, name: "www" };

    it("get one more", () => {
      zoned.when(stored(DnsRecordAdded)).then({ domains: [storedDomain], dns_records: [record, www, mail] });
    });

    it("get one with the new content and the old creation time", () => {
      zoned
        .when(stored(DnsRecordUpdated))
        .then({ domains: [storedDomain], dns_records: [{ ...record, value: "192.0.2.7" }, www] });
    });

    it("have one record less, and it stays removed", () => {
      zoned.when(stored(DnsRecordDeleted)).then({ domains: [storedDomain], dns_records: [record] });
    });
  });

  it("lose the marks of staff and expiry when these are lifted", () => {
    const { DomainSuspended, DomainTransferStarted, DomainExpired } = examples;
    const given = [DomainRegistered, DomainSuspended, DomainTransferStarted, DomainExpired].map(stored);
    const all = { ...storedDomain, suspended: 1, transferring: 1, expired: 1 };
    const after = (event: DomainSubscriptionEvent) =>
      projectionSpec(domains)
        .given(...given)
        .when(stored(event));
    after(examples.DomainUnsuspended).then({ domains: [{ ...all, suspended: 0 }], dns_records: [] });
    after(examples.DomainTransferEnded).then({ domains: [{ ...all, transferring: 0 }], dns_records: [] });
    const renewed = { ...all, expired: 0, expiry_date: "2029-03-01T10:00:00.000000Z" };
    after(examples.DomainRenewed).then({ domains: [renewed], dns_records: [] });
  });

  it("handle the events that the spec lists, and ignore the others by name", () => {
    const handled = Object.entries(domains.handlers).filter(([, handler]) => handler !== "ignored");
    expect(handled.map(([type]) => type).sort()).toEqual(
      ["DomainRegistered", ...Object.keys(changed), ...following].sort(),
    );
  });
});
