import { registrationExamples, renewalExamples } from "@hostledger/core/testing";
import type { runTables } from "@hostledger/work/process-runs";
import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import type { DomainSubscriptionEvent } from "./domain.subscription.ts";
import { allStored, examples, stored } from "./domain-subscription.fixture.ts";
import { processRuns } from "./process-runs.projection.ts";

type Rows = ExpectedRows<typeof runTables>;

const begun = {
  run: "registration-1",
  process: "registration",
  subject: "example.com",
  account_id: 7,
  status: "running",
  step: "charging",
  started_at: "2026-03-01T10:00:00.000000Z",
  reason: null,
};

const renewalBegun = {
  ...begun,
  run: renewalExamples.renewalId,
  process: "renewal",
  started_at: renewalExamples.at,
};

const transferBegun = { ...begun, run: "domaintransfer-1", process: "transfer", subject: "moved.com" };

const transferRow = (change: Partial<Record<"status" | "step" | "reason", string>>): Rows => ({
  process_runs: [{ ...transferBegun, ...change }],
});

const renewalRow = (change: Partial<Record<"status" | "step" | "reason", string>>): Rows => ({
  process_runs: [{ ...renewalBegun, ...change }],
});

const row = (change: Partial<Record<"status" | "step" | "reason", string>>): Rows => ({
  process_runs: [{ ...begun, ...change }],
});

describe("process_runs", () => {
  /** Expected change of a registration run's row by event; other events change nothing. */
  const changed: Readonly<Partial<Record<DomainSubscriptionEvent["type"], Rows>>> = {
    RegistrationCharged: row({ step: "ordering" }),
    RegistrationChargeRefused: row({ step: "releasing" }),
    RegistrarOrderRefused: row({ step: "refunding", reason: examples.RegistrarOrderRefused.data.reason }),
    RegistrarOutcomeUnknown: row({ step: "inquiring", reason: examples.RegistrarOutcomeUnknown.data.reason }),
    RegistrarInquiryFailed: row({ status: "waiting", reason: examples.RegistrarInquiryFailed.data.reason }),
    RegistrationLeftUnsettled: row({ status: "waiting", step: "settling" }),
    RegistrarOrderNotHeld: row({ status: "waiting", step: "settling" }),
    RegistrarCancellationDue: row({ status: "waiting", step: "cancelling" }),
    RegistrationConfirmed: row({ step: "delivering" }),
    ZoneAttemptFailed: row({
      status: "waiting",
      step: "creating-zone",
      reason: examples.ZoneAttemptFailed.data.reason,
    }),
    RegistrationParked: row({ status: "parked", reason: "The service is down" }),
    RegistrationUnparked: row({}),
    RegistrationAbandoned: row({ step: "abandoning" }),
    RegistrationCompleted: { process_runs: [] },
  };
  const { RegistrationReserved: reserved, DomainRenewalStarted: _, ...following } = examples;
  const { TransferReserved: transferReserved, ...others } = following;
  const renewalStarted: DomainSubscriptionEvent = {
    type: "DomainRenewalStarted",
    data: renewalExamples.renewal,
  };
  const renewalChanged: Readonly<Partial<Record<DomainSubscriptionEvent["type"], Rows>>> = {
    RenewalCharged: renewalRow({ step: "ordering" }),
    RenewalChargeRefused: renewalRow({ step: "failing" }),
    RenewalOrderCompleted: renewalRow({ step: "confirming" }),
    RenewalOrderRefused: renewalRow({ step: "refunding", reason: examples.RenewalOrderRefused.data.reason }),
    RenewalOutcomeUnknown: renewalRow({
      step: "inquiring",
      reason: examples.RenewalOutcomeUnknown.data.reason,
    }),
    RenewalInquiryFailed: renewalRow({
      status: "waiting",
      step: "inquiring",
      reason: examples.RenewalInquiryFailed.data.reason,
    }),
    RenewalOrderNotHeld: renewalRow({ status: "waiting", step: "inquiring" }),
    RenewalNeverCharged: renewalRow({ step: "failing" }),
    RenewalChargeReturned: renewalRow({ step: "failing" }),
    RenewalParked: renewalRow({ status: "parked", reason: "The service is down" }),
    RenewalUnparked: renewalRow({}),
    RenewalAbandoned: renewalRow({ step: "abandoning" }),
    RenewalCompleted: { process_runs: [] },
  };

  /** Expected change of a transfer run's row by event; the registrar's answers are handled as for a registration. */
  const transferChanged: Readonly<Partial<Record<DomainSubscriptionEvent["type"], Rows>>> = {
    TransferCharged: transferRow({ step: "ordering" }),
    TransferChargeRefused: transferRow({ step: "releasing" }),
    TransferPending: transferRow({ status: "waiting", step: "pending" }),
    TransferOrderRefused: transferRow({
      step: "refunding",
      reason: examples.TransferOrderRefused.data.reason,
    }),
    TransferParked: transferRow({ status: "parked", reason: "The service is down" }),
    TransferUnparked: transferRow({}),
    TransferAbandoned: transferRow({ step: "abandoning" }),
    TransferCompleted: { process_runs: [] },
  };

  test.each(Object.values(examples).filter(({ type }) => type in transferChanged))(
    "$type, while a transfer runs",
    (event) => {
      projectionSpec(processRuns)
        .given(stored(transferReserved))
        .when(stored(event))
        .then(transferChanged[event.type] ?? {});
    },
  );

  it("of a transfer exists from its reservation on", () => {
    projectionSpec(processRuns).when(stored(transferReserved)).then(transferRow({}));
  });

  test("RegistrationReserved", () => {
    projectionSpec(processRuns).when(stored(reserved)).then(row({}));
  });

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(processRuns)
      .given(stored(reserved))
      .when(stored(event))
      .then(changed[event.type] ?? row({}));
  });

  test("DomainRenewalStarted", () => {
    projectionSpec(processRuns).when(stored(renewalStarted)).then(renewalRow({}));
  });

  test.each(Object.values(others))("$type, while a renewal runs", (event) => {
    projectionSpec(processRuns)
      .given(stored(renewalStarted))
      .when(stored(event))
      .then(renewalChanged[event.type] ?? renewalRow({}));
  });

  it("handle the events that the spec lists, and ignore the others by name", () => {
    const handled = Object.entries(processRuns.handlers).filter(([, handler]) => handler !== "ignored");
    expect(handled.map(([type]) => type).sort()).toEqual(
      [
        "RegistrationReserved",
        "DomainRenewalStarted",
        ...Object.keys(changed),
        ...Object.keys(renewalChanged),
        "TransferReserved",
        ...Object.keys(transferChanged),
      ].sort(),
    );
  });
});

describe("the life of a run", () => {
  const { histories, samples: events } = registrationExamples;
  const after = (...events: readonly DomainSubscriptionEvent[]) =>
    projectionSpec(processRuns).given(...allStored([examples.RegistrationReserved, ...events]));

  it("is over when the domain is delivered", () => {
    after(...histories.confirmed)
      .when(stored(events.RegistrationCompleted))
      .then({ process_runs: [] });
  });

  it("waits for the registrar after the money went back", () => {
    after(...histories.settling.slice(0, -1))
      .when(stored(events.RegistrationChargeReturned))
      .then(row({ status: "waiting", step: "settling" }));
  });

  it("shows staff why it is parked, and nothing after it continues", () => {
    after(...histories.ordering)
      .when(stored(events.RegistrationParked))
      .then(row({ status: "parked", step: "ordering", reason: "The service is down" }));
    after(...histories.suspended)
      .when(stored(events.RegistrationUnparked))
      .then(row({ step: "ordering" }));
    after(...histories.suspended)
      .when(stored(events.RegistrationAbandoned))
      .then(row({ step: "abandoning" }));
  });

  it("is its own: the end of one leaves another", () => {
    const other = {
      ...examples.RegistrationReserved.data,
      registrationId: "registration-2",
      name: "other.com",
    };
    projectionSpec(processRuns)
      .given(stored(examples.RegistrationReserved), {
        event: { type: "RegistrationReserved", data: other },
        stream: "domain-other.com",
      })
      .when(stored(events.RegistrationCompleted))
      .then({ process_runs: [{ ...begun, run: "registration-2", subject: "other.com" }] });
  });
});
