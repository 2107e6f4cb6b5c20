import { addMilliseconds, domainEvents, domainStatusEvents, type DomainNameEvent } from "@hostledger/core";
import { beginWork, endWork, wakeWork, workTables } from "@hostledger/work/work-table";
import { handling, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/read";

import { runsIgnored, type DomainSubscriptionEvent } from "./domain.subscription.ts";

type Writer = RowWriter<typeof workTables>;
type DomainEvent = Pick<ProjectedEvent<DomainNameEvent>, "stream" | "time">;

/** Time for which the request that begins work has the work alone, in milliseconds. */
const requestMs = 10_000;

/** Schedules the work on domains, which is decided on each domain's own stream. */
export const domainWork: Projection<DomainSubscriptionEvent, typeof workTables> = {
  name: "work",
  version: 2,
  categories: ["domain"],
  tables: workTables,
  handlers: {
    ...handling(() => wakeTerm, domainEvents),
    ...handling(() => wakeBoth, domainStatusEvents),
    DomainSuspended: (db, { stream, time }) => {
      beginWork(db, { ...suspensionOf(stream), accountId: null }, time);
      wakeTerm(db, { stream, time });
    },
    RegistrationReserved: "ignored",
    RegistrationHeld: "ignored",
    RegistrationReleased: "ignored",
    DomainRegistered: (db, event) => {
      begin(db, event);
      const { accountId } = event.event.data;
      beginWork(db, { ...deliveryOf(event.stream), accountId }, addMilliseconds(event.time, requestMs));
    },
    // A transferred domain keeps its delegation, so that only nameservers that the customer asked for are delivered.
    TransferReserved: (db, { stream, event: { data } }) => {
      if (data.nameservers !== null)
        beginWork(db, { ...deliveryOf(stream), accountId: data.accountId }, null);
    },
    TransferReleased: endDelivery,
    DomainTransferredIn: (db, event) => {
      begin(db, event);
      wakeDelivery(db, event);
    },
    DomainDeliveryResumed: wakeDelivery,
    DomainDeliveryAbandoned: endDelivery,
    ZoneCreated: endDelivery,
    // On our nameservers the domain needs a zone still.
    NameserversChanged: (db, event) => {
      if (event.event.data.usesServiceNameservers) wakeDelivery(db, event);
      else endDelivery(db, event);
    },
    DomainChangeStarted: (db, { stream, time, metadata }) => {
      const accountId = accountOf(metadata.actor);
      beginWork(db, { ...changeOf(stream), accountId }, addMilliseconds(time, requestMs));
      wakeTerm(db, { stream, time });
    },
    DomainChangeCompleted: endChange,
    DomainChangeFailed: endChange,
    DomainDeleted: end,
    DomainTransferredAway: end,
    PriceSet: "ignored",
    PriceAnnounced: "ignored",
    ExtensionLifeCycleSet: "ignored",
    ...runsIgnored,
  },
};

function begin(
  db: Writer,
  {
    stream,
    time,
    event,
  }: ProjectedEvent<Extract<DomainNameEvent, { type: "DomainRegistered" | "DomainTransferredIn" }>>,
): void {
  beginWork(db, { ...termOf(stream), accountId: event.data.accountId }, time);
}

function wakeTerm(db: Writer, { stream, time }: DomainEvent): void {
  wakeWork(db, termOf(stream), time);
}

function wakeBoth(db: Writer, { stream, time }: DomainEvent): void {
  wakeWork(db, termOf(stream), time);
  wakeWork(db, suspensionOf(stream), time);
}

function end(db: Writer, { stream }: DomainEvent): void {
  endWork(db, termOf(stream));
  endWork(db, suspensionOf(stream));
  endWork(db, deliveryOf(stream));
  endWork(db, changeOf(stream));
}

function wakeDelivery(db: Writer, { stream, time }: DomainEvent): void {
  wakeWork(db, deliveryOf(stream), time);
  wakeTerm(db, { stream, time });
}

function endDelivery(db: Writer, { stream, time }: DomainEvent): void {
  endWork(db, deliveryOf(stream));
  wakeTerm(db, { stream, time });
}

function endChange(db: Writer, { stream, time }: DomainEvent): void {
  endWork(db, changeOf(stream));
  wakeTerm(db, { stream, time });
}

function deliveryOf(stream: string) {
  return { kind: "domain-delivery", key: nameOf(stream) };
}

function changeOf(stream: string) {
  return { kind: "domain-change", key: nameOf(stream) };
}

function termOf(stream: string) {
  return { kind: "domain-term", key: nameOf(stream) };
}

function suspensionOf(stream: string) {
  return { kind: "domain-suspension", key: nameOf(stream) };
}

/** Returns the customer who asked for a change; null for staff and services. */
function accountOf(actor: string): number | null {
  const accountId = /^account:(\d+)/.exec(actor)?.[1];
  return accountId === undefined ? null : Number(accountId);
}

function nameOf(stream: string): string {
  return stream.slice("domain-".length);
}
