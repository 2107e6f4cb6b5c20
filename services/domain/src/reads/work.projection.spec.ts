import { projectionSpec, type ExpectedRows, type GivenEvent } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { examples } from "./domain-subscription.fixture.ts";
import type { DomainSubscriptionEvent } from "./domain.subscription.ts";
import type { domainWorkTables } from "./domain.tables.ts";
import { domainWork } from "./work.projection.ts";

type Rows = ExpectedRows<typeof domainWorkTables>;
type WorkRow = NonNullable<Rows["work"]>[number];

const {
  DomainRegistered,
  DomainTransferredIn,
  DomainSuspended,
  DomainDeleted,
  DomainTransferredAway,
  RegistrationReserved,
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
const unseen = { run: null, process: null, status: null, step: null, started_at: null, reason: null };
const row = (
  kind: string,
  account_id: number | null,
  due_at: string | null,
  seen: Partial<WorkRow> = {},
): WorkRow => ({ kind, key: "example.com", account_id, due_at, awaits_funds: 0, ...unseen, ...seen });
const rows = (...work: readonly WorkRow[]): Rows => ({ work, stopped_runs: [] });
const ignored = new Set(
  Object.entries(domainWork.handlers).flatMap(([type, handler]) => (handler === "ignored" ? [type] : [])),
);

const delivering = {
  run: "registration-1",
  process: "registration",
  status: "running",
  step: "delivering",
  started_at: RegistrationReserved.data.reservedAt,
};
const delivery = row("domain-delivery", 7, tenSeconds.first, delivering);
const term = row("domain-term", 7, later);
const { data: suspended } = examples.DomainDeliverySuspended;
const { data: changed } = examples.DomainChangeStarted;
const change = {
  run: changed.changeId,
  process: "change",
  status: "running",
  step: "asked",
  started_at: changed.startedAt,
};
const registered = projectionSpec(domainWork).given(on(RegistrationReserved), on(DomainRegistered));

/** What becomes of a delivery by an event; other events leave it as it is. */
const deliveryAfter: Readonly<Partial<Record<DomainSubscriptionEvent["type"], WorkRow | undefined>>> = {
  DomainDeliveryAbandoned: undefined,
  NameserversChanged: undefined,
  RegistrationReleased: undefined,
  TransferReleased: undefined,
  ZoneCreated: undefined,
  ZoneCreationFailed: { ...delivery, status: "waiting", step: "creating-zone" },
  DomainDeliverySuspended: { ...delivery, status: "parked", reason: suspended.reason },
  DomainDeliveryResumed: { ...delivery, due_at: later },
};

/** Events of runs that included the delivery. */
const ofOlderRuns = ["Parked", "Unparked", "Abandoned", "Confirmed"].map((end) => `Registration${end}`);

describe("the work on domains", () => {
  it("begins with DomainRegistered, whose request delivers for ten seconds", () => {
    const reserved = projectionSpec(domainWork).given(on(RegistrationReserved));
    const waiting = row("domain-delivery", 7, null, { ...delivering, status: "reserved" });
    reserved.when(on(RegistrationReserved)).then(rows(waiting));
    reserved.when(on(DomainRegistered)).then(rows(delivery, row("domain-term", 7, first)));
  });

  it("begins with DomainTransferredIn, which delivers only requested nameservers", () => {
    projectionSpec(domainWork)
      .when(on(DomainTransferredIn))
      .then(rows(row("domain-term", 7, first)));
    const nameservers = ["ns1.customer.test", "ns2.customer.test"];
    const reserved = { ...TransferReserved, data: { ...TransferReserved.data, nameservers } };
    const { transferId: run, reservedAt: started_at } = TransferReserved.data;
    const seen = { ...delivering, run, process: "transfer", started_at };
    const waiting = projectionSpec(domainWork).given(on(reserved));
    waiting
      .when(on(TransferReserved))
      .then(rows(row("domain-delivery", 7, null, { ...seen, status: "reserved" })));
    waiting
      .when(on(DomainTransferredIn, later))
      .then(rows(row("domain-delivery", 7, later, seen), row("domain-term", 7, later)));
  });

  const onDomains = Object.values(others).filter(
    ({ type }) => !ignored.has(type) && !ofOlderRuns.includes(type),
  );
  test.each(onDomains)("is due after $type", (event) => {
    const after = event.type in deliveryAfter ? deliveryAfter[event.type] : delivery;
    const changes =
      event.type === "DomainChangeStarted" ? [row("domain-change", null, tenSeconds.later, change)] : [];
    registered.when(on(event, later)).then(rows(...changes, ...(after === undefined ? [] : [after]), term));
  });

  it("on a delivery continues if the domain returns to our nameservers", () => {
    const { data } = examples.NameserversChanged;
    const ours = { ...examples.NameserversChanged, data: { ...data, usesServiceNameservers: true } };
    registered.when(on(ours, later)).then(rows({ ...delivery, due_at: later }, term));
  });

  test.each([examples.DomainChangeCompleted, examples.DomainChangeFailed])(
    "on a change belongs to the requesting account, and ends with $type",
    (event) => {
      const actor = "account:7:2";
      const started = { ...on(examples.DomainChangeStarted, later), metadata: { actor } };
      registered.when(started).then(rows(row("domain-change", 7, tenSeconds.later, change), delivery, term));
      registered.given(started).when(on(event, later)).then(rows(delivery, term));
    },
  );

  it("on a suspension begins with the first one, and is due after each event of staff or providers", () => {
    registered
      .when(on(DomainSuspended, later))
      .then(rows(delivery, row("domain-suspension", null, later), term));
    const last = "2027-02-01T00:00:00.000000Z";
    registered
      .given(on(DomainSuspended, later))
      .when(on(examples.DomainUnsuspended, last))
      .then(rows(delivery, row("domain-suspension", null, last), row("domain-term", 7, last)));
  });

  test.each([DomainDeleted, DomainTransferredAway])("ends with $type", (event) => {
    registered
      .given(on(DomainSuspended), on(examples.DomainChangeStarted))
      .when(on(event, later))
      .then(rows());
  });

  it("includes the runs that waited for staff or were ended by them while they included the delivery", () => {
    const { RegistrationParked, RegistrationUnparked, RegistrationAbandoned, RegistrationConfirmed } =
      examples;
    const ofRun = (event: DomainSubscriptionEvent) => ({ ...on(event), stream: "registration-1" });
    const stopped = (status: string): Rows => ({
      stopped_runs: [{ run: "registration-1", status }],
      work: [],
    });
    const parked = projectionSpec(domainWork).given(ofRun(RegistrationParked));
    parked.when(ofRun(RegistrationParked)).then(stopped("parked"));
    parked.when(ofRun(RegistrationUnparked)).then(rows());
    parked.when(ofRun(RegistrationAbandoned)).then(stopped("abandoned"));
    parked.given(ofRun(RegistrationAbandoned)).when(ofRun(RegistrationConfirmed)).then(rows());
  });

  it("ignores events of domains that do not exist", () => {
    const ofDomains = [...ignored].filter(
      (type) => !/^(Registra|Renewal|Transfer|Zone|Delegation)/.test(type),
    );
    expect(ofDomains.sort()).toEqual(["ExtensionLifeCycleSet", "PriceAnnounced", "PriceSet"]);
  });
});
