import { domainExamples } from "@hostledger/core/testing";
import { projectionSpec, type ExpectedRows } from "@hostledger/projections/testing";
import { describe, expect, it, test } from "vitest";

import type { DomainSubscriptionEvent } from "./domain.subscription.ts";
import { examples, stored } from "./domain-subscription.fixture.ts";
import type { lifeCycleTables } from "./domain.tables.ts";
import { lifeCycles } from "./life-cycles.projection.ts";

type Rows = ExpectedRows<typeof lifeCycleTables>;
type Row = NonNullable<Rows["life_cycles"]>[number];

const registered = examples.DomainRegistered;

const begun: Row = {
  domain_id: 3,
  domain_name: "example.com",
  auto_renew: 0,
  suspended: 0,
  offline: 0,
  transferring: 0,
  expired: 0,
  withheld: 0,
  renewing: 0,
  expiry_date: "2028-03-01T10:00:00.000000Z",
  next_try_at: "2028-02-23T10:00:00.000000Z",
  missed_cents: null,
};
const row = (change: Partial<Row>): Rows => ({ life_cycles: [{ ...begun, ...change }] });

describe("life_cycles", () => {
  /** Facts that change a domain's row; every other one leaves it as it is. */
  const changed: Readonly<Partial<Record<DomainSubscriptionEvent["type"], Rows>>> = {
    AutoRenewalChanged: row({ auto_renew: 1 }),
    DomainWithheld: row({ withheld: 1 }),
    DomainRenewalStarted: row({ renewing: 1 }),
    DomainRenewed: row({
      expiry_date: "2029-03-01T10:00:00.000000Z",
      next_try_at: "2029-02-22T10:00:00.000000Z",
    }),
    DomainRenewalFailed: row({ next_try_at: "2028-02-26T10:00:00.000000Z", missed_cents: 1_428 }),
    DomainExpiryFollowed: row({
      expiry_date: "2029-03-01T10:00:00.000000Z",
      next_try_at: "2029-02-22T10:00:00.000000Z",
    }),
    DomainDeleted: { life_cycles: [] },
    DomainTransferredAway: { life_cycles: [] },
    DomainExpired: row({ expired: 1 }),
    DomainSuspended: row({ suspended: 1 }),
    DomainUnsuspended: row({}),
    DomainTakenOffline: row({ offline: 1 }),
    DomainBroughtOnline: row({}),
    DomainTransferStarted: row({ transferring: 1 }),
    DomainTransferEnded: row({}),
    DomainTransferredIn: {
      life_cycles: [
        begun,
        {
          ...begun,
          domain_id: 4,
          domain_name: "moved.com",
          auto_renew: 1,
          expiry_date: "2027-11-21T10:00:00.000000Z",
          next_try_at: "2027-11-14T10:00:00.000000Z",
        },
      ],
    },
  };
  const { DomainRegistered: _, ...others } = examples;

  test("DomainRegistered", () => {
    projectionSpec(lifeCycles).when(stored(registered)).then(row({}));
  });

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(lifeCycles)
      .given(stored(registered))
      .when(stored(event))
      .then(changed[event.type] ?? row({}));
  });

  it("handle what the spec says they handle, and ignore the rest by name", () => {
    const handled = Object.entries(lifeCycles.handlers).filter(([, handler]) => handler !== "ignored");
    expect(handled.map(([type]) => type).sort()).toEqual(
      ["DomainRegistered", ...Object.keys(changed)].sort(),
    );
  });
});

describe("the life of a domain", () => {
  const { facts } = domainExamples;
  const failure = facts.DomainRenewalFailed;
  const failedAt = (at: string, automatic = true): DomainSubscriptionEvent => ({
    type: "DomainRenewalFailed",
    data: { ...failure.data, automatic, failedAt: at },
  });
  const begins = projectionSpec(lifeCycles).given(stored(registered), stored(facts.DomainRenewalStarted));

  it("goes on a day after a failure, at the moment of expiry at the latest, and not after it", () => {
    begins
      .when(stored(failedAt("2028-02-29T09:59:59.999999Z")))
      .then(row({ next_try_at: "2028-03-01T09:59:59.999999Z", missed_cents: 1_428 }));
    begins
      .when(stored(failedAt("2028-02-29T22:00:00.000000Z")))
      .then(row({ next_try_at: "2028-03-01T10:00:00.000000Z", missed_cents: 1_428 }));
    begins
      .when(stored(failedAt("2028-03-01T10:00:00.000000Z")))
      .then(row({ next_try_at: null, missed_cents: 1_428 }));
    const refused = {
      ...failure,
      data: { ...failure.data, reason: "registrar-failed" as const, requiredCents: null },
    };
    begins.when(stored(refused)).then(row({ next_try_at: "2028-02-26T10:00:00.000000Z" }));
  });

  it("takes no notice of the customer's own failures", () => {
    begins.when(stored(failedAt("2028-02-29T10:00:00.000000Z", false))).then(row({}));
  });

  it("begins anew with a renewal, also after expiry", () => {
    projectionSpec(lifeCycles)
      .given(...[registered, facts.DomainExpired, facts.DomainRenewalStarted].map(stored))
      .when(stored(facts.DomainRenewed))
      .then(changedByRenewal);
  });

  const changedByRenewal = row({
    expiry_date: "2029-03-01T10:00:00.000000Z",
    next_try_at: "2029-02-22T10:00:00.000000Z",
  });
});
