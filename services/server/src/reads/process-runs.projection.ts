import {
  runAt as at,
  runBegun,
  runEnded,
  runSuspended,
  runTables,
} from "@hostledger/process-manager/process-runs";
import type { ProjectedEvent, Projection, RowWriter } from "@hostledger/projections";

import {
  catalogueIgnored,
  runsIgnored,
  serversIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";

/** Kinds of runs, as rows and staff name them. */
export const runKinds = { order: "server-order", renewal: "server-renewal" } as const;

/** Runs that have not ended: what a new owner takes over at start-up, and what staff sees. */
export const processRuns: Projection<ServerSubscriptionEvent, typeof runTables> = {
  name: "process_runs",
  version: 1,
  categories: ["server", "serverorder", "serverrenewal"],
  tables: runTables,
  handlers: {
    ...catalogueIgnored,
    ...serversIgnored,
    ...runsIgnored,
    ServerOrderStarted: (db, { event: { data }, stream: run }) => {
      const { serverId, accountId, startedAt } = data;
      const subject = `server-${String(serverId)}`;
      const begun = { run, process: runKinds.order, subject, accountId, step: "reserving", startedAt };
      db.insert("process_runs", runBegun(begun));
    },
    ServerOrderUnitTaken: at("running", "placing"),
    ServerOrderPlaced: at("running", "charging"),
    ServerOrderCharged: at("running", "provisioning"),
    ComputeOrderCompleted: at("running", "recording"),
    ComputeOutcomeUnknown: at("running", "inquiring"),
    ServerOrderRefused: at("running", "failing"),
    ComputeOrderRefused: at("running", "failing"),
    ServerOrderFailureRecorded: at("running", "refunding"),
    ComputeInquiryFailed: at("waiting", "inquiring"),
    ComputeOrderNotHeld: at("waiting", "inquiring"),
    ComputeDestructionDue: at("waiting", "destroying"),
    ServerOrderParked: runSuspended,
    ServerOrderUnparked: at("running"),
    ServerOrderAbandoned: at("running", "abandoning"),
    ServerOrderCompleted: runEnded,
    // The server's stream tells of a renewal first; those of an earlier design are told of by their run alone.
    ServerRenewalBegun: renewalBegun,
    ServerRenewalStarted: renewalBegun,
    ServerRenewalCharged: at("running", "recording"),
    ServerRenewalRecorded: at("running", "resuming"),
    ServerRenewalNotRecorded: at("running", "refunding"),
    ServerResumptionFailed: at("waiting", "resuming"),
    ServerRenewalParked: runSuspended,
    ServerRenewalUnparked: at("running"),
    ServerRenewalAbandoned: at("running", "abandoning"),
    ServerRenewalCompleted: runEnded,
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
  const begun = { run, process: runKinds.renewal, subject, accountId, step: "charging", startedAt };
  db.upsert("process_runs", runBegun(begun));
}
