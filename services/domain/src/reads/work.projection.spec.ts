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
  ...others
} = examples;
const first = "2026-03-01T10:00:00.000000Z";
const later = "2027-01-01T00:00:00.000000Z";
const on = (event: DomainSubscriptionEvent, time = first): GivenEvent<DomainSubscriptionEvent> => ({
  event,
  time,
  stream: "domain-example.com",
});
const row = (kind: string, account_id: number | null, due_at: string): WorkRow => ({
  kind,
  key: "example.com",
  account_id,
  due_at,
  awaits_funds: 0,
});
const ignored = new Set(
  Object.entries(domainWork.handlers).flatMap(([type, handler]) => (handler === "ignored" ? [type] : [])),
);

describe("the work on domains", () => {
  test.each([DomainRegistered, DomainTransferredIn])("begins with $type", (event) => {
    projectionSpec(domainWork)
      .when(on(event))
      .then({ work: [row("domain-term", event.data.accountId, first)] });
  });

  test.each(Object.values(others).filter(({ type }) => !ignored.has(type)))("is due after $type", (event) => {
    projectionSpec(domainWork)
      .given(on(DomainRegistered))
      .when(on(event, later))
      .then({ work: [row("domain-term", 7, later)] });
  });

  it("on a suspension begins with the first one, and is due after what staff or providers do about it", () => {
    const begun = projectionSpec(domainWork).given(on(DomainRegistered));
    begun
      .when(on(DomainSuspended, later))
      .then({ work: [row("domain-suspension", null, later), row("domain-term", 7, later)] });
    const last = "2027-02-01T00:00:00.000000Z";
    begun
      .given(on(DomainSuspended, later))
      .when(on(examples.DomainUnsuspended, last))
      .then({ work: [row("domain-suspension", null, last), row("domain-term", 7, last)] });
  });

  test.each([DomainDeleted, DomainTransferredAway])("ends with $type", (event) => {
    projectionSpec(domainWork)
      .given(on(DomainRegistered), on(DomainSuspended))
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
