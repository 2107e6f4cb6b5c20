import { projectionSpec, type ExpectedRows } from "@hostledger/projections/testing";
import { describe, expect, it, test } from "vitest";

import type { DomainLogEvent } from "./domain-log.ts";
import { examples, stored } from "./domain-log.fixture.ts";
import type { domainTables } from "./domain.tables.ts";
import { domains } from "./domains.projection.ts";

type Rows = ExpectedRows<typeof domainTables>;

const at = "2026-03-01T10:00:00.000000Z";

const domain = {
  id: 3,
  account_id: 7,
  domain_name: "example.com",
  status: "active",
  provider: "sandbox",
  auto_renew: 0,
  whois_privacy: 1,
  lock_status: 1,
  uses_service_nameservers: 1,
  nameservers: '["ns1.hostledger.test","ns2.hostledger.test"]',
  registration_date: at,
  expiry_date: "2028-03-01T10:00:00.000000Z",
  dns_records_count: 0,
  created_at: at,
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

describe("domains", () => {
  const registered: Rows = { domains: [domain], dns_records: [] };

  /** Facts that change the row of a registered domain; every other one leaves it as it is. */
  const changed: Readonly<Partial<Record<DomainLogEvent["type"], Rows>>> = {
    ZoneCreated: {
      domains: [{ ...domain, dns_records_count: 2 }],
      dns_records: [record, { ...record, id: 21, name: "www" }],
    },
    NameserversChanged: {
      domains: [
        {
          ...domain,
          uses_service_nameservers: 0,
          nameservers: '["ns1.customer.test","ns2.customer.test"]',
        },
      ],
      dns_records: [],
    },
  };
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

  it("keep what a record says about its priority", () => {
    const [first] = examples.ZoneCreated.data.records;
    if (first === undefined) throw new Error("the example has records");
    const mail = { ...first, type: "MX", value: "mail.example.com", priority: 10 };
    projectionSpec(domains)
      .given(stored(DomainRegistered))
      .when(stored({ type: "ZoneCreated", data: { ...examples.ZoneCreated.data, records: [mail] } }))
      .then({
        domains: [{ ...domain, dns_records_count: 1 }],
        dns_records: [{ ...record, type: "MX", value: "mail.example.com", priority: 10 }],
      });
  });

  it("handle what the spec says they handle, and ignore the rest by name", () => {
    const handled = Object.entries(domains.handlers).filter(([, handler]) => handler !== "ignored");
    expect(handled.map(([type]) => type).sort()).toEqual(
      ["DomainRegistered", ...Object.keys(changed)].sort(),
    );
  });
});
