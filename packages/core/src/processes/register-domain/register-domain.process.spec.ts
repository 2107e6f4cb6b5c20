import { describe, expect, it } from "vitest";

import { addMilliseconds } from "../../calendar/calendar.ts";
import { rejection } from "../../kernel/rejection.ts";
import { at, charge, facts, histories, inputs, order, soon } from "./register-domain.fixture.ts";
import { registerDomain } from "./register-domain.process.ts";
import {
  afterMany,
  chargeAccount,
  completed,
  given,
  hold,
  inquiry,
  name,
  orderName,
  parkedFor,
  refundFor,
  refuse,
  registrationId,
  release,
  tellName,
} from "./register-domain.story.fixture.ts";
import { settlementSchedule } from "../retry-schedule.ts";

describe("a registration that goes well", () => {
  it("begins with the reservation and charges the account", () => {
    given().when(inputs.reserved).then(facts.RegistrationStarted).andReacts(chargeAccount);
  });

  it("orders the name under the run's own id once the account is charged", () => {
    given(...histories.charging)
      .when(inputs.charged)
      .then(facts.RegistrationCharged)
      .andReacts(orderName);
  });

  it("tells the name's stream what was registered", () => {
    given(...histories.ordering)
      .when(inputs.held)
      .then(facts.RegistrarOrderCompleted)
      .andReacts(tellName({ type: "RegisterDomain", data: { registrationId, ...order, ...charge } }));
  });

  it("is complete with that: what the domain lacks is not its affair", () => {
    given(...histories.confirming)
      .when(inputs.accepted)
      .then(facts.RegistrationConfirmed, completed("delivered"))
      .andReacts({ kind: "complete" });
  });
});

describe("a charge that is refused", () => {
  const insufficient = rejection("insufficient-balance", undefined, {
    requiredCents: 2_380n,
    availableCents: 1_000n,
  });

  it("gives the name back, with the account's figures kept", () => {
    given(...histories.charging)
      .when({ type: "rejected", rejection: insufficient, at })
      .then(facts.RegistrationChargeRefused)
      .andReacts(release("charge-refused"));
  });

  it("keeps no figures where there are none", () => {
    const { code, message } = rejection("account-not-open");
    given(...histories.charging)
      .when(refuse("account-not-open"))
      .then({
        type: "RegistrationChargeRefused",
        data: { code, message, requiredCents: null, availableCents: null, at },
      });
  });

  it("is complete when the name is free", () => {
    given(...histories.releasing)
      .when(inputs.accepted)
      .then(completed("refused"))
      .andReacts({ kind: "complete" });
  });

  it("is complete as well when the name is no longer this run's", () => {
    given(...histories.releasing)
      .when(refuse("registration-not-found"))
      .then(completed("refused"));
  });

  it.each(["charge-conflict", "deadline-exceeded", "overloaded", "internal"] as const)(
    "is not taken from %s, after which the account may have been charged: staff is asked",
    (code) => {
      given(...histories.charging)
        .when(refuse(code))
        .then(parkedFor(`${code}: ${rejection(code).message}`));
    },
  );
});

describe("an order that is refused", () => {
  it("returns the charge, with the registrar's reason", () => {
    given(...histories.ordering)
      .when(inputs.refused)
      .then(facts.RegistrarOrderRefused)
      .andReacts(refundFor("Policy"));
  });

  it("then gives the name back", () => {
    given(...histories.refunding)
      .when(inputs.refunded)
      .then(facts.RegistrationChargeReturned)
      .andReacts(release("order-refused"));
  });

  it("is complete as refunded", () => {
    given(...histories.refunding, facts.RegistrationChargeReturned)
      .when(inputs.accepted)
      .then(completed("refunded"));
  });
});

describe("an order that is not answered", () => {
  const unanswered = histories.inquiring;

  it("is asked about, at once", () => {
    given(...histories.ordering)
      .when(inputs.unknown)
      .then(facts.RegistrarOutcomeUnknown)
      .andReacts({ kind: "call", request: inquiry });
  });

  it("goes on when the registrar holds the name", () => {
    given(...unanswered)
      .when(inputs.held)
      .then(facts.RegistrarOrderCompleted);
  });

  it("is refunded when the registrar holds nothing, and never sent a second time", () => {
    const reason = "The registrar did not carry out the order";
    given(...unanswered)
      .when(inputs["not-held"])
      .then({ type: "RegistrarOrderRefused", data: { reason, at } })
      .andReacts(refundFor(reason));
    given(...unanswered, facts.RegistrarOrderRefused)
      .when(inputs.refunded)
      .then(facts.RegistrationChargeReturned)
      .andReacts(release("order-not-carried-out"));
  });

  it("is asked about again a little later when the registrar cannot tell", () => {
    given(...unanswered)
      .when(inputs.unknown)
      .then(facts.RegistrarInquiryFailed)
      .andReacts({ kind: "call", request: inquiry, notBefore: soon });
    given(...unanswered, facts.RegistrarInquiryFailed)
      .when(inputs.refused)
      .then({
        type: "RegistrarInquiryFailed",
        data: { reason: "Policy", nextInquiryAt: addMilliseconds(at, 600), at },
      });
  });

  it("has its name held after the third time, before any money goes back", () => {
    given(...unanswered, facts.RegistrarInquiryFailed, facts.RegistrarInquiryFailed)
      .when(inputs.unknown)
      .then({
        type: "RegistrarInquiryFailed",
        data: { reason: "No answer", nextInquiryAt: addMilliseconds(at, 1_000), at },
      })
      .andReacts(hold);
  });

  it("is refunded once the name is held", () => {
    given(...histories.holding)
      .when(inputs.accepted)
      .then(facts.RegistrationLeftUnsettled)
      .andReacts(refundFor("No answer"));
  });

  it("is asked about on after the refund", () => {
    given(...histories.holding, facts.RegistrationLeftUnsettled)
      .when(inputs.refunded)
      .then(facts.RegistrationChargeReturned)
      .andReacts({ kind: "call", request: inquiry });
    given(...histories.settling)
      .when(inputs.unknown)
      .then({
        type: "RegistrarInquiryFailed",
        data: { reason: "No answer", nextInquiryAt: addMilliseconds(at, 2_000), at },
      })
      .andReacts({ kind: "call", request: inquiry, notBefore: addMilliseconds(at, 2_000) });
  });

  it("gives the name back when it turns out not to have been carried out", () => {
    const reason = "The registrar did not carry out the order";
    given(...histories.settling)
      .when(inputs["not-held"])
      .then({ type: "RegistrarOrderRefused", data: { reason, at } })
      .andReacts(release("order-not-carried-out"));
  });

  it("is cancelled at the registrar when it turns out to have been carried out", () => {
    given(...histories.settling)
      .when(inputs.held)
      .then(facts.RegistrarCancellationDue)
      .andReacts({ kind: "call", request: { type: "cancel", name } });
    given(...histories.cancelling)
      .when(inputs.done)
      .then(facts.RegistrarOrderCancelled)
      .andReacts(release("order-cancelled"));
  });

  it("is cancelled again and again until the registrar has done it", () => {
    const next = addMilliseconds(at, 2_000);
    given(...histories.cancelling)
      .when(inputs.unknown)
      .then({ type: "RegistrarCancellationDue", data: { nextAttemptAt: next, at } })
      .andReacts({ kind: "call", request: { type: "cancel", name }, notBefore: next });
  });

  it.each(["settling", "cancelling"] as const)(
    "asks staff after half a day of %s, and tries anew on their word",
    (status) => {
      const state = afterMany(histories[status], inputs.unknown, settlementSchedule.limit);
      expect(state.status).toBe("parked");
      const retried = registerDomain.decide(inputs.retried, state).reduce(registerDomain.evolve, state);
      expect(retried).toMatchObject({ status, attempts: 0, notBefore: undefined });
    },
  );
});
