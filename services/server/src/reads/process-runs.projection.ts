import { serverOrder, serverOrderEvents, serverRenewal, serverRenewalEvents } from "@hostledger/core";
import { runAt, runBegun, runRows, runTables } from "@hostledger/work/process-runs";
import type { ProjectedEvent, Projection, RowWriter } from "@hostledger/read";

import { catalogueIgnored, serversIgnored, type ServerSubscriptionEvent } from "./server.subscription.ts";

/** Unfinished runs, for a new owner at start-up and for staff. */
export const processRuns: Projection<ServerSubscriptionEvent, typeof runTables> = {
  name: "process_runs",
  version: 3,
  categories: ["server", "serverorder", "serverrenewal"],
  tables: runTables,
  handlers: {
    ...catalogueIgnored,
    ...serversIgnored,
    ...runRows(serverOrderEvents, {
      prepared: "placing",
      charged: "provisioning",
      done: "recording",
      unanswered: "inquiring",
      declined: "failing",
      refused: "failing",
      fenced: "refunding",
      inquiryFailed: "inquiring",
      notHeld: "inquiring",
      cancellationDue: "destroying",
    }),
    ServerOrderPlaced: runAt("running", "charging"),
    ...runRows(serverRenewalEvents, { charged: "recording", done: "resuming" }),
    ServerRenewalNotRecorded: runAt("running", "refunding"),
    ServerResumptionFailed: runAt("waiting", "resuming"),
    ServerOrderStarted: (db, { event: { data }, stream: run }) => {
      const { serverId, accountId, startedAt } = data;
      const subject = `server-${String(serverId)}`;
      const begun = { run, process: serverOrder.name, subject, accountId, step: "reserving", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    // The server's stream shows a renewal first; renewals of an earlier design appear only in their run.
    ServerRenewalBegun: renewalBegun,
    ServerRenewalStarted: renewalBegun,
  },
};

function renewalBegun(
  db: RowWriter<typeof runTables>,
  {
    event: { data },
  }: ProjectedEvent<
    Extract<ServerSubscriptionEvent, { type: "ServerRenewalBegun" | "ServerRenewalStarted" }>
  >,
): void {
  const { renewalId: run, serverId, accountId, startedAt } = data;
  const subject = `server-${String(serverId)}`;
  const begun = { run, process: serverRenewal.name, subject, accountId, step: "charging", startedAt };
  db.upsert("process_runs", runBegun(begun));
}
