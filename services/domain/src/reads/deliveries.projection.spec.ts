import { registrationExamples } from "@hostledger/core/testing";
import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { deliveries } from "./deliveries.projection.ts";
import type { DomainSubscriptionEvent } from "./domain.subscription.ts";
import { allStored, examples, stored } from "./domain-subscription.fixture.ts";
import type { deliveryTables } from "./domain.tables.ts";

type Rows = ExpectedRows<typeof deliveryTables>;

const reserved = {
  domain_name: "example.com",
  run: "registration-1",
  account_id: 7,
  status: "reserved",
  step: "delivering",
  started_at: examples.RegistrationReserved.data.reservedAt,
  reason: null,
};
const running = { ...reserved, status: "running" };
const { RegistrationReserved, DomainRegistered, DomainDeliverySuspended } = examples;
const begun = [RegistrationReserved, DomainRegistered];

function rowsOf(row: object | undefined, stopped: readonly object[] = []): Rows {
  const none: readonly (typeof reserved)[] = [];
  return {
    deliveries: row === undefined ? none : [{ ...reserved, ...row }],
    stopped_runs: stopped.map((change) => ({ run: "registration-1", status: "parked", ...change })),
  };
}

/** Expected change of a registered domain's delivery by event; other events change nothing. */
const changed: Readonly<Partial<Record<DomainSubscriptionEvent["type"], Rows>>> = {
  RegistrationReserved: rowsOf({}),
  DomainRegistered: rowsOf(running),
  RegistrationReleased: rowsOf(undefined),
  NameserversChanged: rowsOf(undefined),
  ZoneCreated: rowsOf(undefined),
  ZoneCreationFailed: rowsOf({ status: "waiting", step: "creating-zone" }),
  DomainDeliverySuspended: rowsOf({ status: "parked", reason: DomainDeliverySuspended.data.reason }),
  DomainDeliveryResumed: rowsOf(running),
  DomainDeliveryAbandoned: rowsOf(undefined),
  DomainDeleted: rowsOf(undefined),
  DomainTransferredAway: rowsOf(undefined),
  RegistrationParked: rowsOf(running, [{}]),
  RegistrationAbandoned: rowsOf(running, [{ status: "abandoned" }]),
  RegistrationUnparked: rowsOf(running),
  RegistrationConfirmed: rowsOf(running),
};

describe("deliveries", () => {
  test.each(Object.values<DomainSubscriptionEvent>(examples))("$type", (event) => {
    projectionSpec(deliveries)
      .given(...allStored(begun))
      .when(stored(event))
      .then(changed[event.type] ?? rowsOf(running));
  });

  it("handle what the spec says they handle, and ignore the rest by name", () => {
    const handled = Object.entries(deliveries.handlers).filter(([, handler]) => handler !== "ignored");
    const ofTransfers = ["TransferReserved", "TransferReleased", "DomainTransferredIn"];
    expect(handled.map(([type]) => type).sort()).toEqual([...Object.keys(changed), ...ofTransfers].sort());
  });

  it("of a name that comes over are its customer's nameservers, if there are any", () => {
    const { TransferReserved, DomainTransferredIn, TransferReleased } = examples;
    projectionSpec(deliveries).when(stored(TransferReserved)).then(rowsOf(undefined));
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    const data = { ...TransferReserved.data, nameservers };
    const given = projectionSpec(deliveries).given(stored({ type: "TransferReserved", data }));
    const row = { domain_name: "moved.com", run: "domaintransfer-1", status: "running" };
    given.when(stored(DomainTransferredIn)).then(rowsOf(row));
    given.when(stored(TransferReleased)).then(rowsOf(undefined));
  });

  it("that waited for staff go on", () => {
    projectionSpec(deliveries)
      .given(...allStored([...begun, DomainDeliverySuspended]))
      .when(stored(examples.DomainDeliveryResumed))
      .then(rowsOf(running));
  });

  it("go on where an owner that died had registered the domain before staff ended the run", () => {
    const { RegistrationAbandoned, RegistrationConfirmed, RegistrationParked } = registrationExamples.samples;
    projectionSpec(deliveries)
      .given(...allStored([...begun, RegistrationParked, RegistrationAbandoned]))
      .when(stored(RegistrationConfirmed))
      .then(rowsOf(running));
  });

  it("that staff has left while they were part of a run stay so", () => {
    const { RegistrationAbandoned, RegistrationCompleted, RegistrationConfirmed, RegistrationParked } =
      registrationExamples.samples;
    projectionSpec(deliveries)
      .given(...allStored([...begun, RegistrationConfirmed, RegistrationParked, RegistrationAbandoned]))
      .when(stored(RegistrationCompleted))
      .then(rowsOf(running, [{ status: "abandoned" }]));
  });
});
