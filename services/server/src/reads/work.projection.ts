import { serverEvents, type EventOf } from "@hostledger/core";
import { beginWork, endWork, wakeWork, workTables } from "@hostledger/work/work-table";
import { handling, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/read";

import { catalogueIgnored, runsIgnored, type ServerSubscriptionEvent } from "./server.subscription.ts";

type Writer = RowWriter<typeof workTables>;
type ServerEvent = Pick<ProjectedEvent<EventOf<typeof serverEvents>>, "stream" | "time">;

/**
 * Schedules the work on each server's paid term and on its node. Any event of a server makes its term due, and an event
 * about its machine makes its node due.
 */
export const serverWork: Projection<ServerSubscriptionEvent, typeof workTables> = {
  name: "work",
  version: 2,
  categories: ["server"],
  tables: workTables,
  handlers: {
    ...handling(() => wakeTerm, serverEvents),
    ServerOrdered: "ignored",
    ServerProvisioned: (db, { stream, time, event }) => {
      const { accountId } = event.data;
      beginWork(db, { ...termOf(stream), accountId }, time);
      beginWork(db, { ...nodeOf(stream), accountId }, time);
    },
    ServerOrderFailed: "ignored",
    ServerRenewed: wakeBoth,
    ServerSuspended: wakeBoth,
    ServerUnsuspended: wakeBoth,
    ServerTerminationBegun: wakeBoth,
    FirewallToggled: wakeBoth,
    FirewallRuleAdded: wakeBoth,
    FirewallRuleRemoved: wakeBoth,
    ServerTerminated: (db, { stream }) => {
      endWork(db, termOf(stream));
      endWork(db, nodeOf(stream));
    },
    ...catalogueIgnored,
    ...runsIgnored,
  },
};

function wakeTerm(db: Writer, { stream, time }: ServerEvent): void {
  wakeWork(db, termOf(stream), time);
}

function wakeBoth(db: Writer, { stream, time }: ServerEvent): void {
  wakeWork(db, termOf(stream), time);
  wakeWork(db, nodeOf(stream), time);
}

function termOf(stream: string) {
  return { kind: "server-term", key: idOf(stream) };
}

function nodeOf(stream: string) {
  return { kind: "server-node", key: idOf(stream) };
}

function idOf(stream: string): string {
  return stream.slice("server-".length);
}
