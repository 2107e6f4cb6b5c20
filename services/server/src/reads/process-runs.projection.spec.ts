import type { runTables } from "@hostledger/work/process-runs";
import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { processRuns } from "./process-runs.projection.ts";
import { allStored, examples, stored } from "./server-subscription.fixture.ts";
import type { ServerSubscriptionEvent } from "./server.subscription.ts";

type Rows = ExpectedRows<typeof runTables>;
type RunRow = NonNullable<Rows["process_runs"]>[number];
type Changes = Readonly<Partial<Record<ServerSubscriptionEvent["type"], Partial<RunRow> | null>>>;

const order: RunRow = {
  run: "serverorder-1",
  process: "server-order",
  subject: "server-5",
  account_id: 7,
  status: "running",
  step: "reserving",
  started_at: "2026-03-01T10:00:00.000000Z",
  reason: null,
};
const renewal: RunRow = { ...order, run: "serverrenewal-1", process: "server-renewal", step: "charging" };
const parked = { status: "parked", reason: "The service is down" };

/** Expected change of a run's row by event; null deletes the row. */
const ordersChanged: Changes = {
  ServerOrderUnitTaken: { step: "placing" },
  ServerOrderPlaced: { step: "charging" },
  ServerOrderCharged: { step: "provisioning" },
  ComputeOrderCompleted: { step: "recording" },
  ComputeOutcomeUnknown: { step: "inquiring", reason: examples.ComputeOutcomeUnknown.data.reason },
  ServerOrderRefused: { step: "failing" },
  ComputeOrderRefused: { step: "failing", reason: examples.ComputeOrderRefused.data.reason },
  ServerOrderFailureRecorded: { step: "refunding" },
  ComputeInquiryFailed: {
    status: "waiting",
    step: "inquiring",
    reason: examples.ComputeInquiryFailed.data.reason,
  },
  ComputeOrderNotHeld: { status: "waiting", step: "inquiring" },
  ComputeDestructionDue: { status: "waiting", step: "destroying" },
  ServerOrderParked: parked,
  ServerOrderUnparked: {},
  ServerOrderAbandoned: { step: "abandoning" },
  ServerOrderCompleted: null,
};
const renewalsChanged: Changes = {
  ServerRenewalCharged: { step: "recording" },
  ServerRenewalRecorded: { step: "resuming" },
  ServerRenewalNotRecorded: { step: "refunding" },
  ServerResumptionFailed: {
    status: "waiting",
    step: "resuming",
    reason: examples.ServerResumptionFailed.data.reason,
  },
  ServerRenewalParked: parked,
  ServerRenewalUnparked: {},
  ServerRenewalAbandoned: { step: "abandoning" },
  ServerRenewalCompleted: null,
};

const { ServerOrderStarted, ServerRenewalStarted, ServerRenewalBegun, ...others } = examples;

describe("process_runs", () => {
  test("ServerOrderStarted and ServerRenewalStarted", () => {
    projectionSpec(processRuns)
      .given(stored(ServerOrderStarted))
      .when(stored(ServerRenewalStarted))
      .then({ process_runs: [order, renewal] });
  });

  test("ServerRenewalBegun, of which the run's own first event makes no second row", () => {
    const begun = { ...ServerRenewalBegun, data: ServerRenewalStarted.data };
    projectionSpec(processRuns)
      .when(stored(begun))
      .then({ process_runs: [renewal] });
    projectionSpec(processRuns)
      .given(stored(begun))
      .when(stored(ServerRenewalStarted))
      .then({ process_runs: [renewal] });
  });

  test.each(Object.values(others))("$type", (event) => {
    const rows = [order, renewal].flatMap((row) => {
      const change = (row === order ? ordersChanged : renewalsChanged)[event.type];
      return change === null ? [] : [{ ...row, ...change }];
    });
    projectionSpec(processRuns)
      .given(...allStored([ServerOrderStarted, ServerRenewalStarted]))
      .when(stored(event))
      .then({ process_runs: rows });
  });

  test("a run that continues after it was parked has its earlier step, without a reason", () => {
    projectionSpec(processRuns)
      .given(...allStored([ServerOrderStarted, examples.ServerOrderCharged, examples.ServerOrderParked]))
      .when(stored(examples.ServerOrderUnparked))
      .then({ process_runs: [{ ...order, step: "provisioning" }] });
  });

  it("handle the events that the spec lists, and ignore the others by name", () => {
    const handled = Object.entries(processRuns.handlers).filter(([, handler]) => handler !== "ignored");
    const started = [ServerOrderStarted.type, ServerRenewalBegun.type, ServerRenewalStarted.type];
    expect(handled.map(([type]) => type).sort()).toEqual(
      [...started, ...Object.keys(ordersChanged), ...Object.keys(renewalsChanged)].sort(),
    );
  });
});
