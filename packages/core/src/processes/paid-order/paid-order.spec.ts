import { describe, expect, it } from "vitest";

import { addMilliseconds } from "../../calendar/calendar.ts";
import { rejection } from "../../kernel/rejection.ts";
import { processSpec } from "../../testing/process-spec.ts";
import * as renewal from "../domain-renewal.fixture.ts";
import type { RenewalEvent } from "../domain-renewal.events.ts";
import * as registration from "../registration.fixture.ts";
import type { RegistrationEvent } from "../registration.events.ts";
import * as order from "../server-order.fixture.ts";
import * as serverRenewal from "../server-renewal.fixture.ts";
import { quietMs } from "./paid-order.fixture.ts";

/** Details of the flow, each on a suitable process. The tables and the simulation cover the rest. */

const { at } = registration;
const register = processSpec(registration.process, (state) => registration.process.nextAction(state, at));
const renew = processSpec(renewal.process, (state) => renewal.process.nextAction(state, renewal.at));
const provision = processSpec(order.process, (state) => order.process.nextAction(state, order.at));
const extend = processSpec(serverRenewal.process, (state) =>
  serverRenewal.process.nextAction(state, serverRenewal.at),
);

const held = { type: "held", held: registration.order } as const;

function notHeldAt(instant: string): RegistrationEvent {
  return {
    type: "RegistrarOrderNotHeld",
    data: { askAgainAt: addMilliseconds(instant, quietMs), at: instant },
  };
}

describe('no answer, then "not held"', () => {
  const { samples: events, histories, inputs } = registration;

  it("fences the name and returns the money at once", () => {
    register
      .given(...histories.asking)
      .when(inputs["not-held"])
      .then(notHeldAt(at))
      .andDoes({ kind: "compensate", command: { to: "domain", command: { type: "HoldRegistration" } } });
    register
      .given(...histories.fencing)
      .when(inputs.accepted)
      .then(events.RegistrationLeftUnsettled)
      .andDoes({ command: { refund: { reason: "The registrar did not carry out the order" } } });
  });

  it("leads to a second inquiry right after the quiet period", () => {
    const state = histories.settling.reduce(registration.process.evolve, registration.process.initialState);
    expect(registration.process.nextAction(state, at)).toMatchObject({
      kind: "call",
      notBefore: addMilliseconds(at, quietMs),
      longestPauseMs: 15_000,
    });
  });

  it.each([
    ["before the quiet period is over", quietMs - 1, false],
    ["after the quiet period", quietMs, true],
    ["under a clock that was set back", -60_000, false],
  ])("a second time %s", (_, laterMs, counts) => {
    const then = addMilliseconds(at, laterMs);
    const settled: RegistrationEvent = {
      type: "RegistrarOrderRefused",
      data: { reason: "The registrar did not carry out the order", at: then },
    };
    register
      .given(...histories.settling)
      .when({ type: "not-held", at: then })
      .then(counts ? settled : notHeldAt(then))
      .andDoes({ kind: counts ? "compensate" : "call" });
  });

  it("is discarded if the order arrives: the run cancels it and releases the name", () => {
    register
      .given(...histories.settling)
      .when({ ...held, at })
      .then({ type: "RegistrarCancellationDue", data: { nextAttemptAt: at, at } })
      .andDoes({ request: { type: "cancel" } });
    register
      .given(...histories.cancelling)
      .when(inputs.done)
      .then(events.RegistrarOrderCancelled)
      .andDoes({
        command: { command: { type: "ReleaseRegistration", data: { reason: "order-cancelled" } } },
      });
  });

  it('does not end a renewal before a second "not held", so the charge stands', () => {
    const said = { type: "held", held: { expiresAt: renewal.before } } as const;
    const once: RenewalEvent = {
      type: "RenewalOrderNotHeld",
      data: { askAgainAt: addMilliseconds(renewal.at, quietMs), at: renewal.at },
    };
    renew
      .given(...renewal.histories.asking)
      .when({ ...said, at: renewal.at })
      .then(once)
      .andDoes({ kind: "call", notBefore: addMilliseconds(renewal.at, quietMs) });
    const later = addMilliseconds(renewal.at, quietMs);
    renew
      .given(...renewal.histories.asking, once)
      .when({ ...said, at: later })
      .then({
        type: "RenewalOrderRefused",
        data: { reason: "The registrar did not carry out the order", at: later },
      })
      .andDoes({ command: { refund: { chargeId: renewal.renewalId } } });
    renew
      .given(...renewal.histories.asking, once)
      .when({ type: "held", held: { expiresAt: renewal.after }, at: later })
      .then({ type: "RenewalOrderCompleted", data: { expiresAt: renewal.after, at: later } })
      .andDoes({ kind: "compensate", command: { command: { type: "RecordRenewed" } } });
  });
});

describe("an order that was interrupted", () => {
  const { samples: events, histories, inputs } = registration;
  const interrupted: RegistrationEvent = {
    type: "RegistrarOutcomeUnknown",
    data: { cause: "interrupted", reason: "The run was interrupted", at },
  };
  const again = [...histories.ordering, interrupted, events.RegistrarOrderResumed];

  it('leads to an inquiry, and is sent again under the same id after "not held"', () => {
    register
      .given(...histories.ordering)
      .when(inputs.resumed)
      .then(interrupted);
    register
      .given(...histories.ordering, interrupted)
      .when(inputs["not-held"])
      .then(events.RegistrarOrderResumed)
      .andDoes({ request: { type: "register", clientTransactionId: "r-1" } });
  });

  it.each(["refused", "unreachable"] as const)(
    "continues if the second order is %s, because the first may still arrive",
    (answer) => {
      const { reason } = inputs[answer];
      register
        .given(...again)
        .when(inputs[answer])
        .then({ type: "RegistrarOutcomeUnknown", data: { cause: "unanswered", reason, at } })
        .andDoes({ request: { type: "inquire-registration" } });
    },
  );
});

describe("a provider that does not answer", () => {
  const { samples: events, histories, inputs } = registration;

  it("is asked three times while the caller waits; then the money is refunded", () => {
    register
      .given(...histories.asking)
      .when(inputs.unknown)
      .then(events.RegistrarInquiryFailed)
      .andDoes({ kind: "call", notBefore: registration.soon });
    register
      .given(...histories.asking, events.RegistrarInquiryFailed, events.RegistrarInquiryFailed)
      .when(inputs.unknown)
      .then({
        type: "RegistrarInquiryFailed",
        data: { reason: "No answer", nextInquiryAt: addMilliseconds(at, 1_000), at },
      })
      .andDoes({ command: { command: { type: "HoldRegistration" } } });
  });

  it.each([
    ["settling", "RegistrarInquiryFailed", "The registrar does not answer: No answer"],
    ["cancelling", "RegistrarCancellationDue", "The order could not be cancelled: No answer"],
  ] as const)("when %s leads to staff after 3,000 inquiries", (status, asked, reason) => {
    const silence = Array.from({ length: 2_999 }, () => events[asked]);
    register
      .given(...histories[status], ...silence)
      .when(inputs.unknown)
      .then({ type: "RegistrationParked", data: { reason, at } })
      .andDoes({ kind: "suspend" });
  });

  it("to a renewal leads to staff after about a day, with the charge standing", () => {
    const silence = Array.from(
      { length: renewal.inquiryLimit - 1 },
      () => renewal.events.RenewalInquiryFailed,
    );
    const reason = "The registrar does not tell whether it renewed the domain: No answer";
    renew
      .given(...renewal.histories.asking, ...silence)
      .when(renewal.inputs.unknown)
      .then({ type: "RenewalParked", data: { reason, at: renewal.at } });
  });

  it("leaves a renewal's caller without a final answer after three inquiries or a long quiet period", () => {
    const { process, events: asked, histories: steps } = renewal;
    const fold = (history: readonly RenewalEvent[]) => history.reduce(process.evolve, process.initialState);
    const twice = fold([...steps.asking, asked.RenewalInquiryFailed, asked.RenewalInquiryFailed]);
    expect(process.answer(twice)).toBeUndefined();
    expect(process.answer(process.evolve(twice, asked.RenewalInquiryFailed))).toEqual({
      kind: "unsettled",
      reason: "No answer",
    });
    expect(process.answer(fold([...steps.asking, asked.RenewalOrderNotHeld]))).toBeUndefined();
  });
});

describe("the registrar's answer to a renewal", () => {
  const { at: now, before, after, histories, inputs } = renewal;

  it.each([
    ["two days early", addMilliseconds(after, -2 * 86_400_000), "RenewalOrderCompleted"],
    ["as ordered", after, "RenewalOrderCompleted"],
    ["as before, two days late", addMilliseconds(before, 2 * 86_400_000), "RenewalOrderNotHeld"],
    ["another year", "2029-03-01T10:00:00.000000Z", "RenewalParked"],
  ])("%s", (_, expiresAt, event) => {
    const { process } = renewal;
    const state = histories.asking.reduce<ReturnType<typeof process.evolve>>(
      process.evolve,
      process.initialState,
    );
    const events = process.decide({ type: "held", held: { expiresAt }, at: now }, state);
    expect(events.map(({ type }) => type)).toEqual([event]);
  });

  it("refused leads to an inquiry, because the name may have been renewed; the refusal is the final reason", () => {
    const rejected: RenewalEvent = {
      type: "RenewalOutcomeUnknown",
      data: { cause: "rejected", reason: "Policy", at: now },
    };
    renew
      .given(...histories.ordering)
      .when(inputs.refused)
      .then(rejected);
    renew
      .given(...histories.ordering, rejected)
      .when({ type: "held", held: { expiresAt: before }, at: now })
      .then({ type: "RenewalOrderRefused", data: { reason: "Policy", at: now } });
  });

  it("unreachable means no order, so the charge is returned", () => {
    renew
      .given(...histories.ordering)
      .when(inputs.unreachable)
      .then({ type: "RenewalOrderRefused", data: { reason: "No route", at: now } });
  });

  it("is requested once more when staff end the run, because a renewal must be paid", () => {
    const abandoned = [...histories.suspended, renewal.events.RenewalAbandoned];
    renew
      .given(...abandoned)
      .when(inputs.held)
      .then(renewal.events.RenewalOrderCompleted);
    renew
      .given(...abandoned)
      .when(inputs.unknown)
      .then({ type: "RenewalOrderRefused", data: { reason: "The customer called", at: now } })
      .andDoes({ command: { refund: { reason: "The customer called" } } });
  });
});

describe("the charge of an order", () => {
  it("is refused with the account's own rejection", () => {
    const refusal = rejection("insufficient-balance", undefined, {
      requiredCents: 2_380n,
      availableCents: 1_000n,
    });
    register
      .given(...registration.histories.charging)
      .when({ type: "rejected", rejection: refusal, at })
      .then(registration.samples.RegistrationChargeRefused)
      .andDoes({ command: { command: { data: { reason: "charge-refused" } } } });
  });

  it.each(["insufficient-balance", "account-not-open", "validation-failed"] as const)(
    "is unknown after %s",
    (code) => {
      const events = registration.process.decide(
        { type: "rejected", rejection: rejection(code), at },
        registration.process.evolve(
          registration.process.initialState,
          registration.samples.RegistrationStarted,
        ),
      );
      expect(events.map(({ type }) => type)).toEqual(["RegistrationChargeRefused"]);
    },
  );

  it("is gross for a server, and absent for a gift, which also uses no unit", () => {
    const step = (history: readonly Parameters<typeof order.process.evolve>[1][]) =>
      order.process.nextAction(history.reduce(order.process.evolve, order.process.initialState), order.at);
    expect(step(order.histories.charging)).toMatchObject({
      command: { charge: { chargeId: "o-1", pricesIncludeVat: true, duration: 3, serverId: 5, planId: 2 } },
    });
    const gift = [order.started(null)];
    expect(step(gift)).toMatchObject({ kind: "compensate", command: { command: { type: "OrderServer" } } });
    expect(step([...gift, order.events.ServerOrderPlaced])).toMatchObject({ request: { type: "provision" } });
  });

  it("is looked up when staff end a run without a known charge", () => {
    const unknown = [...registration.histories.charging, registration.samples.RegistrationParked] as const;
    register
      .given(...unknown)
      .when(registration.inputs.abandoned)
      .then(registration.samples.RegistrationAbandoned)
      .andDoes({ command: { refund: { chargeId: "r-1" } } });
    register
      .given(...unknown, registration.samples.RegistrationAbandoned)
      .when({ type: "rejected", rejection: rejection("charge-not-found"), at })
      .then(registration.samples.RegistrationNeverCharged)
      .andDoes({ command: { command: { type: "ReleaseRegistration", data: { reason: "abandoned" } } } });
  });

  it("that is known is returned or waits for staff", () => {
    register
      .given(...registration.histories.refunding)
      .when({ type: "rejected", rejection: rejection("charge-not-found"), at })
      .then({
        type: "RegistrationParked",
        data: { reason: "charge-not-found: There is no such charge.", at },
      });
  });
});

describe("the fence of an aggregate", () => {
  const rejected = (
    code: "domain-taken" | "registration-not-found" | "order-completed" | "order-not-found",
  ) => ({ type: "rejected", rejection: rejection(code), at }) as const;

  it("keeps an order that an earlier owner confirmed before it died", () => {
    register
      .given(...registration.histories.fencing)
      .when(rejected("domain-taken"))
      .then(registration.samples.RegistrationConfirmed, registration.samples.RegistrationCompleted);
    provision
      .given(...order.histories.fencing)
      .when(rejected("order-completed"))
      .then(order.events.ServerOrderCompleted);
    extend
      .given(...serverRenewal.histories.fencing)
      .when(serverRenewal.inputs["accepted, found"])
      .then(serverRenewal.events.ServerRenewalRecorded, serverRenewal.events.ServerRenewalCompleted);
  });

  it("allows the refund if the aggregate has no such order", () => {
    register
      .given(...registration.histories.fencing)
      .when(rejected("registration-not-found"))
      .then(registration.samples.RegistrationLeftUnsettled);
    provision
      .given(...order.histories.fencing)
      .when(rejected("order-not-found"))
      .then(order.events.ServerOrderFailureRecorded);
  });

  it("ends a release without anything to release", () => {
    register
      .given(...registration.histories.releasing)
      .when(rejected("registration-not-found"))
      .then({ type: "RegistrationCompleted", data: { outcome: "refused", at } });
  });

  it("of a refused renewal refunds the charge and returns its code", () => {
    extend
      .given(...serverRenewal.histories.confirming)
      .when({ type: "rejected", rejection: rejection("validation-failed", "Too far."), at: serverRenewal.at })
      .then({
        type: "ServerRenewalNotRecorded",
        data: { code: "validation-failed", message: "Too far.", at: serverRenewal.at },
      })
      .andDoes({ command: { refund: { reason: "Too far." } } });
  });

  it("decides whether a unit is available", () => {
    provision
      .given(...order.histories.preparing)
      .when({ type: "rejected", rejection: rejection("out-of-stock"), at: order.at })
      .then({
        type: "ServerOrderRefused",
        data: {
          code: "out-of-stock",
          message: "The plan is out of stock in this region.",
          requiredCents: null,
          availableCents: null,
          at: order.at,
        },
      })
      .andDoes({ command: { command: { type: "RecordOrderFailed" } } });
  });
});

describe("an answer with more fields than the process stores", () => {
  it("is stored in the fields of its event", () => {
    const answered = { ...registration.order, expiresAt: renewal.after };
    renew
      .given(...renewal.histories.ordering)
      .when({ type: "held", held: answered, at: renewal.at })
      .then({ type: "RenewalOrderCompleted", data: { expiresAt: renewal.after, at: renewal.at } });
  });
});
