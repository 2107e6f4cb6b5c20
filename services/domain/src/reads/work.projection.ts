import {
  addMilliseconds,
  domainEvents,
  domainStatusEvents,
  registration,
  transferIn,
  type DomainNameEvent,
} from "@hostledger/core";
import { endWork, wakeWork, type WorkKey } from "@hostledger/work/work-table";
import { handling, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/read";

import { runsIgnored, type DomainSubscriptionEvent } from "./domain.subscription.ts";
import { domainWorkTables } from "./domain.tables.ts";

type Writer = RowWriter<typeof domainWorkTables>;
type DomainEvent = Pick<ProjectedEvent<DomainNameEvent>, "stream" | "time">;

/** Time for which the request that begins work has the work alone, in milliseconds. */
const requestMs = 10_000;

/**
 * Schedules the work on domains, which is decided on each domain's own stream. Older registration runs included the delivery;
 * their events show whether it waits for staff or was abandoned.
 */
export const domainWork: Projection<DomainSubscriptionEvent, typeof domainWorkTables> = {
  name: "work",
  // Includes the versions of two projections that became part of it, so that the program still counts as newer (`editionOf`).
  version: 6,
  categories: ["domain", "registration"],
  tables: domainWorkTables,
  handlers: {
    ...handling(() => wakeTerm, domainEvents),
    ...handling(() => wakeBoth, domainStatusEvents),
    DomainSuspended: (db, { stream, time }) => {
      begin(db, suspensionOf(stream), { accountId: null, at: time });
      wakeTerm(db, { stream, time });
    },
    RegistrationReserved: (db, { stream, event: { data } }) => {
      const { registrationId: run, accountId, reservedAt: started_at } = data;
      beginDelivery(db, stream, { run, process: registration.name, accountId, started_at });
    },
    RegistrationHeld: "ignored",
    RegistrationReleased: endDelivery,
    DomainRegistered: (db, { stream, time, event: { data } }) => {
      begin(db, termOf(stream), { accountId: data.accountId, at: time });
      db.update("work", deliveryOf(stream), { status: "running", due_at: addMilliseconds(time, requestMs) });
    },
    // A transferred domain keeps its delegation, so that only nameservers that the customer asked for are delivered.
    TransferReserved: (db, { stream, event: { data } }) => {
      const { transferId: run, accountId, nameservers, reservedAt: started_at } = data;
      if (nameservers !== null)
        beginDelivery(db, stream, { run, process: transferIn.name, accountId, started_at });
    },
    TransferReleased: endDelivery,
    DomainTransferredIn: (db, { stream, time, event: { data } }) => {
      begin(db, termOf(stream), { accountId: data.accountId, at: time });
      db.update("work", deliveryOf(stream), { status: "running", due_at: time });
    },
    ZoneCreationFailed: (db, { stream, time }) => {
      db.update("work", deliveryOf(stream), { status: "waiting", step: "creating-zone" });
      wakeTerm(db, { stream, time });
    },
    DomainDeliverySuspended: (db, { stream, time, event: { data } }) => {
      db.update("work", deliveryOf(stream), { status: "parked", reason: data.reason });
      wakeTerm(db, { stream, time });
    },
    DomainDeliveryResumed: (db, { stream, time }) => {
      db.update("work", deliveryOf(stream), { status: "running", reason: null, due_at: time });
      wakeTerm(db, { stream, time });
    },
    DomainDeliveryAbandoned: endDelivery,
    ZoneCreated: endDelivery,
    // On our nameservers the domain needs a zone still.
    NameserversChanged: (db, event) => {
      if (!event.event.data.usesServiceNameservers) endDelivery(db, event);
      else wakeWork(db, deliveryOf(event.stream), event.time);
      wakeTerm(db, event);
    },
    DomainChangeStarted: (db, { stream, time, metadata, event: { data } }) => {
      const { changeId: run, startedAt: started_at } = data;
      const seen = { run, process: "change", status: "running", step: "asked", started_at };
      const at = addMilliseconds(time, requestMs);
      begin(db, changeOf(stream), { accountId: accountOf(metadata.actor), at }, seen);
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
    RegistrationParked: (db, { stream: run }) => {
      db.upsert("stopped_runs", { run, status: "parked" });
    },
    RegistrationUnparked: (db, { stream: run }) => {
      db.delete("stopped_runs", { run });
    },
    RegistrationAbandoned: (db, { stream: run }) => {
      db.upsert("stopped_runs", { run, status: "abandoned" });
    },
    // A dead owner had registered the domain before staff abandoned the run; the domain is kept and delivered.
    RegistrationConfirmed: (db, { stream: run }) => {
      db.delete("stopped_runs", { run });
    },
  },
};

/** What staff see of work in progress, among the unfinished runs; null for work that they do not see. */
interface Seen {
  readonly run: string | null;
  readonly process: string | null;
  readonly status: string | null;
  readonly step: string | null;
  /** ISO 8601 UTC. */
  readonly started_at: string | null;
}

const unseen: Seen = { run: null, process: null, status: null, step: null, started_at: null };

/** When work is due, ISO 8601 UTC or null for not yet, and whose it is. */
interface Begun {
  readonly accountId: number | null;
  readonly at: string | null;
}

function begin(db: Writer, work: WorkKey, { accountId, at }: Begun, seen = unseen): void {
  const row = { ...work, account_id: accountId, due_at: at, awaits_funds: false };
  db.upsert("work", { ...row, ...seen, reason: null });
}

function beginDelivery(
  db: Writer,
  stream: string,
  { accountId, ...seen }: Pick<Seen, "run" | "process" | "started_at"> & Pick<Begun, "accountId">,
): void {
  const waiting = { ...seen, status: "reserved", step: "delivering" };
  begin(db, deliveryOf(stream), { accountId, at: null }, waiting);
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
