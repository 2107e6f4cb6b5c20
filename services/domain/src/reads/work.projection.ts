import { domainEvents, domainStatusEvents, type DomainNameEvent } from "@hostledger/core";
import { beginWork, endWork, wakeWork, workTables } from "@hostledger/work/work-table";
import { handling, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/read";

import { runsIgnored, type DomainSubscriptionEvent } from "./domain.subscription.ts";

type Writer = RowWriter<typeof workTables>;
type DomainFact = Pick<ProjectedEvent<DomainNameEvent>, "stream" | "time">;

/** Schedules the work on each domain's term and suspension, which is decided on the domain's own stream. */
export const domainWork: Projection<DomainSubscriptionEvent, typeof workTables> = {
  name: "work",
  version: 1,
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
    DomainRegistered: begin,
    DomainTransferredIn: begin,
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

function wakeTerm(db: Writer, { stream, time }: DomainFact): void {
  wakeWork(db, termOf(stream), time);
}

function wakeBoth(db: Writer, { stream, time }: DomainFact): void {
  wakeWork(db, termOf(stream), time);
  wakeWork(db, suspensionOf(stream), time);
}

function end(db: Writer, { stream }: DomainFact): void {
  endWork(db, termOf(stream));
  endWork(db, suspensionOf(stream));
}

function termOf(stream: string) {
  return { kind: "domain-term", key: nameOf(stream) };
}

function suspensionOf(stream: string) {
  return { kind: "domain-suspension", key: nameOf(stream) };
}

function nameOf(stream: string): string {
  return stream.slice("domain-".length);
}
