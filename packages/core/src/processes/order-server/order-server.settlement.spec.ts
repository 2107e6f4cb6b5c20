import { describe, expect, it } from "vitest";

import { addMilliseconds } from "../../calendar/calendar.ts";
import { computeSettlementSchedule } from "./compute-schedules.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";
import { at, facts, failingUnsettled, histories, inputs, soon } from "./order-server.fixture.ts";
import { orderServer } from "./order-server.process.ts";
import {
  after,
  afterMany,
  chargeAccount,
  completed,
  destroy,
  failOrder,
  given,
  inquire,
  parkedFor,
  provision,
  refundFor,
  refuse,
  returnUnit,
} from "./order-server.story.fixture.ts";

describe("a server of which nobody knows", () => {
  it("is asked about, at once", () => {
    given(...histories.provisioning)
      .when(inputs.unknown)
      .then(facts.ComputeOutcomeUnknown)
      .andReacts(inquire);
  });

  it("goes on when it is there", () => {
    given(...histories.inquiring)
      .when(inputs.held)
      .then(facts.ComputeOrderCompleted);
  });

  it("is not ordered a second time when it is not there", () => {
    const reason = "The server was not set up";
    given(...histories.inquiring)
      .when(inputs["not-held"])
      .then({ type: "ComputeOrderRefused", data: { reason, at } })
      .andReacts(failOrder(reason));
  });

  it("is ordered when the run was interrupted before it could be", () => {
    const interrupted: ServerOrderEvent = {
      type: "ComputeOutcomeUnknown",
      data: { cause: "interrupted", reason: "The run was interrupted", at },
    };
    given(...histories.provisioning)
      .when(inputs.resumed)
      .then(interrupted)
      .andReacts(inquire);
    given(...histories.provisioning, interrupted)
      .when(inputs["not-held"])
      .then(facts.ComputeOrderResumed)
      .andReacts(provision);
  });

  it("is asked about again a little later", () => {
    given(...histories.inquiring)
      .when(inputs.unknown)
      .then(facts.ComputeInquiryFailed)
      .andReacts({ ...inquire, notBefore: soon });
  });

  it("has its order fail after the third time", () => {
    given(...histories.inquiring, facts.ComputeInquiryFailed, facts.ComputeInquiryFailed)
      .when(inputs.refused)
      .then({
        type: "ComputeInquiryFailed",
        data: { reason: "No node has room", nextInquiryAt: addMilliseconds(at, 1_000), at },
      })
      .andReacts(failOrder("No node has room"));
  });

  it("is asked about on after the refund; its unit does not go back yet", () => {
    given(...failingUnsettled, facts.ServerOrderFailureRecorded)
      .when(inputs.refunded)
      .then(facts.ServerOrderChargeReturned)
      .andReacts(inquire);
    given(...histories.settling)
      .when(inputs.unknown)
      .then({
        type: "ComputeInquiryFailed",
        data: { reason: "No answer", nextInquiryAt: addMilliseconds(at, 2_000), at },
      })
      .andReacts({ ...inquire, notBefore: addMilliseconds(at, 2_000) });
  });

  it("gives its unit back when it turns out not to be there", () => {
    given(...histories.settling)
      .when(inputs["not-held"])
      .then({ type: "ComputeOrderRefused", data: { reason: "The server was not set up", at } })
      .andReacts(returnUnit);
  });

  it("is destroyed when it turns out to be there, and then gives its unit back", () => {
    given(...histories.settling)
      .when(inputs.held)
      .then(facts.ComputeDestructionDue)
      .andReacts(destroy);
    given(...histories.destroying)
      .when(inputs.done)
      .then(facts.ComputeServerDestroyed)
      .andReacts(returnUnit);
  });

  it("is destroyed again and again until that is done", () => {
    const next = addMilliseconds(at, 2_000);
    given(...histories.destroying)
      .when(inputs.unknown)
      .then({ type: "ComputeDestructionDue", data: { nextAttemptAt: next, at } })
      .andReacts({ ...destroy, notBefore: next });
  });

  it.each(["settling", "destroying"] as const)(
    "is for staff after half a day of %s, and tried anew on their word",
    (status) => {
      const almost = afterMany(histories[status], inputs.unknown, computeSettlementSchedule.limit - 1);
      expect(almost.status).toBe(status);
      const state = orderServer.decide(inputs.unknown, almost).reduce(orderServer.evolve, almost);
      expect(state.status).toBe("parked");
      const retried = orderServer.decide(inputs.retried, state).reduce(orderServer.evolve, state);
      expect(retried).toMatchObject({ status, attempts: 0, notBefore: undefined });
    },
  );
});

describe("a run that waits for staff", () => {
  const why = "The customer called";
  const parkedIn = (status: keyof typeof histories): readonly ServerOrderEvent[] => [
    ...histories[status],
    facts.ServerOrderParked,
  ];

  it("waits after a technical failure, and goes on where it was", () => {
    given(...histories.charging)
      .when(inputs.failed)
      .then(facts.ServerOrderParked)
      .andReacts({ kind: "park", reason: "The service is down" });
    given(...parkedIn("charging"))
      .when(inputs.retried)
      .then(facts.ServerOrderUnparked)
      .andReacts(chargeAccount);
  });

  it("asks about an order whose answer was lost before it sends it again", () => {
    given(...parkedIn("provisioning"))
      .when(inputs.retried)
      .then(facts.ServerOrderUnparked)
      .andReacts(inquire);
    given(...parkedIn("provisioning"), facts.ServerOrderUnparked)
      .when(inputs["not-held"])
      .then(facts.ComputeOrderResumed)
      .andReacts(provision);
  });

  it.each(["reserving", "placing", "charging"] as const)(
    "abandoned in %s: what an earlier owner may have charged is returned, then the unit",
    (status) => {
      const abandoned = [...parkedIn(status), facts.ServerOrderAbandoned];
      given(...parkedIn(status))
        .when(inputs.abandoned)
        .then(facts.ServerOrderAbandoned)
        .andReacts(failOrder(why));
      const told = [...abandoned, facts.ServerOrderFailureRecorded];
      given(...abandoned)
        .when(refuse("order-not-found"))
        .then(facts.ServerOrderFailureRecorded)
        .andReacts(refundFor(why));
      given(...told)
        .when(inputs.refunded)
        .then(facts.ServerOrderChargeReturned)
        .andReacts(returnUnit);
      given(...told)
        .when(refuse("charge-not-found"))
        .then(facts.ServerOrderNeverCharged)
        .andReacts(returnUnit);
    },
  );

  it.each(["provisioning", "inquiring", "recording"] as const)(
    "abandoned in %s: the charge goes back, and the server that may exist is settled before the unit goes back",
    (status) => {
      const abandoned = [...parkedIn(status), facts.ServerOrderAbandoned];
      given(...parkedIn(status))
        .when(inputs.abandoned)
        .then(facts.ServerOrderAbandoned)
        .andReacts(failOrder(why));
      given(...abandoned, facts.ServerOrderFailureRecorded)
        .when(inputs.refunded)
        .then(facts.ServerOrderChargeReturned)
        .andReacts(inquire);
      given(...abandoned)
        .when(refuse("order-completed"))
        .then(completed("provisioned"));
    },
  );

  it("abandoned while it undoes: it goes on undoing", () => {
    given(...parkedIn("failing"))
      .when(inputs.abandoned)
      .then(facts.ServerOrderAbandoned)
      .andReacts(failOrder("No node has room"));
    given(...parkedIn("refunding"))
      .when(inputs.abandoned)
      .then(facts.ServerOrderAbandoned)
      .andReacts(refundFor("No node has room"));
    given(...parkedIn("returning"))
      .when(inputs.abandoned)
      .then(facts.ServerOrderAbandoned)
      .andReacts(returnUnit);
  });

  it.each(["settling", "destroying"] as const)("abandoned in %s: staff has settled it by hand", (status) => {
    given(...parkedIn(status))
      .when(inputs.abandoned)
      .then(facts.ServerOrderAbandoned)
      .andReacts(returnUnit);
  });

  it("is not told that a charge it knows of is missing: that is for staff", () => {
    given(...histories.refunding)
      .when(refuse("charge-not-found"))
      .then(parkedFor("charge-not-found: There is no such charge to refund."));
  });

  it("tries the same step again, attempts counted anew", () => {
    expect(
      after(
        ...histories.inquiring,
        facts.ComputeInquiryFailed,
        facts.ServerOrderParked,
        facts.ServerOrderUnparked,
      ),
    ).toMatchObject({ status: "inquiring", attempts: 0, notBefore: undefined });
  });
});
