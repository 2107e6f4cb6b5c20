import type { Handler, ProjectedEvent, Projection } from "@hostledger/projections";

import {
  catalogueIgnored,
  runsIgnored,
  serversIgnored,
  type ServerSubscriptionEvent,
} from "./server.subscription.ts";
import { runTables } from "./server.tables.ts";

type RunHandler = Handler<ServerSubscriptionEvent, typeof runTables>;

/** Kinds of runs, as rows and staff name them. */
export const runKinds = { order: "server-order", renewal: "server-renewal" } as const;

/** Runs that have not ended: what a new owner takes over at start-up, and what staff sees. */
export const processRuns: Projection<ServerSubscriptionEvent, typeof runTables> = {
  name: "process_runs",
  version: 1,
  tables: runTables,
  handlers: {
    ...catalogueIgnored,
    ...serversIgnored,
    ...runsIgnored,
    ServerOrderStarted: (db, { event: { data }, stream: run }) => {
      db.insert("process_runs", {
        run,
        process: runKinds.order,
        subject: `server-${String(data.serverId)}`,
        account_id: data.accountId,
        status: "running",
        step: "reserving",
        started_at: data.startedAt,
        reason: null,
      });
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
    ServerOrderParked: parked,
    ServerOrderUnparked: at("running", undefined),
    ServerOrderAbandoned: at("running", "abandoning"),
    ServerOrderCompleted: ended,
    // The server's stream tells of a renewal first; those of an earlier design are told of by their run alone.
    ServerRenewalBegun: renewalBegun,
    ServerRenewalStarted: renewalBegun,
    ServerRenewalCharged: at("running", "recording"),
    ServerRenewalRecorded: at("running", "resuming"),
    ServerRenewalNotRecorded: at("running", "refunding"),
    ServerResumptionFailed: at("waiting", "resuming"),
    ServerRenewalParked: parked,
    ServerRenewalUnparked: at("running", undefined),
    ServerRenewalAbandoned: at("running", "abandoning"),
    ServerRenewalCompleted: ended,
  },
};

function renewalBegun(
  db: Parameters<RunHandler>[0],
  {
    event: { data },
  }: ProjectedEvent<
    Extract<ServerSubscriptionEvent, { type: "ServerRenewalBegun" | "ServerRenewalStarted" }>
  >,
): void {
  db.upsert("process_runs", {
    run: data.renewalId,
    process: runKinds.renewal,
    subject: `server-${String(data.serverId)}`,
    account_id: data.accountId,
    status: "running",
    step: "charging",
    started_at: data.startedAt,
    reason: null,
  });
}

/** A run at a step; without one it is at the step it was at when it parked. */
function at(status: "running" | "waiting", step: string | undefined): RunHandler {
  return (db, { stream: run }) => {
    db.update("process_runs", { run }, { status, reason: null, ...(step === undefined ? {} : { step }) });
  };
}

function parked(
  db: Parameters<RunHandler>[0],
  { event, stream: run }: { event: { data: { reason: string } }; stream: string },
): void {
  db.update("process_runs", { run }, { status: "parked", reason: event.data.reason });
}

function ended(db: Parameters<RunHandler>[0], { stream: run }: { stream: string }): void {
  db.delete("process_runs", { run });
}
