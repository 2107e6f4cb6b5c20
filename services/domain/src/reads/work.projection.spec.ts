import type { workTables } from "@hostledger/work/work-table";
import { projectionSpec, type ExpectedRows, type GivenEvent } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { examples } from "./domain-subscription.fixture.ts";
import type { DomainSubscriptionEvent } from "./domain.subscription.ts";
import { domainWork } from "./work.projection.ts";

type WorkRow = NonNullable<ExpectedRows<typeof workTables>["work"]>[number];

const {
  DomainRegistered,
  DomainTransferredIn,
  DomainSuspended,
  DomainDeleted,
  DomainTransferredAway,
  TransferReserved,
  ...others
} = examples;
const first = "2026-03-01T10:00:00.000000Z";
const later = "2027-01-01T00:00:00.000000Z";
/** The request that begins the work has ten seconds for it. */
const tenSeconds = { first: "2026-03-01T10:00:10.000000Z", later: "2027-01-01T00:00:10.000000Z" };
const on = (event: DomainSubscriptionEvent, time = first): GivenEvent<DomainSubscriptionEvent> => ({
  event,
  time,
  stream: "domain-example.com",
});
const row = (kind: string, account_id: number | null, due_at: string | null): WorkRow => ({
  kind,
  key: "example.com",
  account_id,
  due_at,
  awaits_funds: 0,
});
const ignored = new Set(
  Object.entries(domainWork.handlers).flatMap(([type, handler]) => (handler === "ignored" ? [type] : [])),
);

/** After these events nothing is to be delivered. */
const endDeliveries = new Set([
  "DomainDeliveryAbandoned",
  "NameserversChanged",
  "TransferReleased",
  "ZoneCreated",
]);
const delivery = row("domain-delivery", 7, tenSeconds.first);
const term = row("domain-term", 7, later);

describe("the work on domains", () => {
  it("begins with DomainRegistered, whose request delivers for ten seconds", () => {
    projectionSpec(domainWork)
      .when(on(DomainRegistered))
      .then({ work: [delivery, row("domain-term", 7, first)] });
  });

  it("begins with DomainTransferredIn, where nothing is delivered but nameservers that were asked for", () => {
    projectionSpec(domainWork)
      .when(on(DomainTransferredIn))
      .then({ work: [row("domain-term", 7, first)] });
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    const reserved = { ...TransferReserved, data: { ...TransferReserved.data, nameservers } };
    const waiting = projectionSpec(domainWork).given(on(reserved));
    waiting.when(on(TransferReserved)).then({ work: [row("domain-delivery", 7, null)] });
    waiting
      .when(on(DomainTransferredIn, later))
      .then({ work: [row("domain-delivery", 7, later), row("domain-term", 7, later)] });
  });

  test.each(Object.values(others).filter(({ type }) => !ignored.has(type)))("is due after $type", (event) => {
    const deliveries = endDeliveries.has(event.type)
      ? []
      : [event.type === "DomainDeliveryResumed" ? row("domain-delivery", 7, later) : delivery];
    const changes =
      event.type === "DomainChangeStarted" ? [row("domain-change", null, tenSeconds.later)] : [];
    projectionSpec(domainWork)
      .given(on(DomainRegistered))
      .when(on(event, later))
      .then({ work: [...changes, ...deliveries, term] });
  });

  it("on a delivery goes on where the nameservers come to be ours", () => {
    const { data } = examples.NameserversChanged;
    const ours = { ...examples.NameserversChanged, data: { ...data, usesServiceNameservers: true } };
    projectionSpec(domainWork)
      .given(on(DomainRegistered))
      .when(on(ours, later))
      .then({ work: [row("domain-delivery", 7, later), term] });
  });

  test.each([examples.DomainChangeCompleted, examples.DomainChangeFailed])(
    "on a change is the account's who asked for it, and ends with $type",
    (event) => {
      const actor = "account:7:2";
      const begun = projectionSpec(domainWork).given(on(DomainRegistered));
      const started = { ...on(examples.DomainChangeStarted, later), metadata: { actor } };
      begun.when(started).then({ work: [row("domain-change", 7, tenSeconds.later), delivery, term] });
      begun
        .given(started)
        .when(on(event, later))
        .then({ work: [delivery, term] });
    },
  );

  it("on a suspension begins with the first one, and is due after what staff or providers do about it", () => {
    const begun = projectionSpec(domainWork).given(on(DomainRegistered));
    begun
      .when(on(DomainSuspended, later))
      .then({ work: [delivery, row("domain-suspension", null, later), term] });
    const last = "2027-02-01T00:00:00.000000Z";
    begun
      .given(on(DomainSuspended, later))
      .when(on(examples.DomainUnsuspended, last))
      .then({ work: [delivery, row("domain-suspension", null, last), row("domain-term", 7, last)] });
  });

  test.each([DomainDeleted, DomainTransferredAway])("ends with $type", (event) => {
    projectionSpec(domainWork)
      .given(on(DomainRegistered), on(DomainSuspended), on(examples.DomainChangeStarted))
      .when(on(event, later))
      .then({ work: [] });
  });

  it("has no use for what happens to no domain that exists", () => {
    const ofDomains = [...ignored].filter(
      (type) => !/^(Registra|Renewal|Transfer|Zone|Delegation)/.test(type),
    );
    expect(ofDomains.sort()).toEqual(["ExtensionLifeCycleSet", "PriceAnnounced", "PriceSet"]);
  });
});
