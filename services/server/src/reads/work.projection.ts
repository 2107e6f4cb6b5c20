import { serverEvents, type EventOf } from "@hostledger/core";
import { beginWork, endWork, wakeWork, workTables } from "@hostledger/process-manager/work-table";
import { handling, type ProjectedEvent, type Projection, type RowWriter } from "@hostledger/projections";

import { catalogueIgnored, runsIgnored, type ServerSubscriptionEvent } from "./server.subscription.ts";

type ServerFact = Pick<ProjectedEvent<EventOf<typeof serverEvents>>, "stream" | "time">;

/**
 * Schedules the work on each server's paid term. Any event of a server makes its work due; the work decides on the
 * server's
 * own stream, so an outdated read model does no harm.
 */
export const serverWork: Projection<ServerSubscriptionEvent, typeof workTables> = {
  name: "work",
  version: 1,
  categories: ["server"],
  tables: workTables,
  handlers: {
    ...handling(() => wake, serverEvents),
    ServerOrdered: "ignored",
    ServerProvisioned: (db, { stream, time, event }) => {
      beginWork(db, { ...termOf(stream), accountId: event.data.accountId }, time);
    },
    ServerOrderFailed: "ignored",
    ServerTerminated: (db, { stream }) => {
      endWork(db, termOf(stream));
    },
    ...catalogueIgnored,
    ...runsIgnored,
  },
};

function wake(db: RowWriter<typeof workTables>, { stream, time }: ServerFact): void {
  wakeWork(db, termOf(stream), time);
}

function termOf(stream: string) {
  return { kind: "server-term", key: stream.slice("server-".length) };
}
