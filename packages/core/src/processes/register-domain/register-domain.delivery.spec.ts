import { describe, it } from "vitest";

import type { RegistrationEvent } from "./register-domain.events.ts";
import { at, facts, histories, inputs } from "./register-domain.fixture.ts";
import {
  completed,
  given,
  hold,
  inquiry,
  name,
  orderName,
  parkedFor,
  refundFor,
  refuse,
  release,
} from "./register-domain.story.fixture.ts";

describe("a run that was interrupted", () => {
  const interrupted: RegistrationEvent = {
    type: "RegistrarOutcomeUnknown",
    data: { cause: "interrupted", reason: "The run was interrupted", at },
  };

  it("asks the registrar what became of its order", () => {
    given(...histories.ordering)
      .when(inputs.resumed)
      .then(interrupted)
      .andReacts({ kind: "call", request: inquiry });
  });

  it("sends the order when the registrar does not know it", () => {
    given(...histories.ordering, interrupted)
      .when(inputs["not-held"])
      .then(facts.RegistrarOrderResumed)
      .andReacts(orderName);
  });

  it("keeps what an earlier owner confirmed before it died, however silent the registrar is now", () => {
    given(...histories.holding)
      .when(refuse("domain-taken"))
      .then(facts.RegistrationConfirmed, completed("delivered"))
      .andReacts({ kind: "complete" });
  });

  it("returns the money where the name is no longer its own", () => {
    given(...histories.holding)
      .when(refuse("registration-not-found"))
      .then(facts.RegistrationLeftUnsettled);
  });

  it("does not complete as refunded while the name is registered: staff is asked", () => {
    given(...histories.refunding, facts.RegistrationChargeReturned)
      .when(refuse("domain-taken"))
      .then(parkedFor("domain-taken: The domain is already registered on the service."));
  });
});

describe("a run that was stopped while delivery was part of it", () => {
  const { ZoneDelivered, ZoneAttemptFailed, ZoneFailureRecorded } = facts;
  const { DelegationUnanswered, DelegationCompleted, DelegationRefused, DelegationRefusalRecorded } = facts;

  it.each<[string, readonly RegistrationEvent[]]>([
    ["before anything", []],
    ["after a silent delegation", [DelegationUnanswered]],
    ["after a delegation", [DelegationUnanswered, DelegationCompleted]],
    ["after a refused one", [DelegationRefused]],
    ["before its zone", [DelegationRefused, DelegationRefusalRecorded]],
    ["after a zone that failed", [ZoneAttemptFailed, ZoneFailureRecorded]],
    ["after its zone", [ZoneDelivered]],
    ["after staff was asked", [facts.RegistrationParked, facts.RegistrationUnparked]],
  ])("%s: asks the name, which says that it is registered, and is over", (_, history) => {
    given(...histories.delivering, ...history)
      .when(refuse("domain-taken"))
      .then(completed("delivered"))
      .andReacts({ kind: "complete" });
    given(...histories.delivering, ...history)
      .when(inputs.resumed)
      .thenNothing();
  });
});

describe("a run that waits for staff", () => {
  const parkedIn = (status: keyof typeof histories): readonly RegistrationEvent[] => [
    ...histories[status],
    facts.RegistrationParked,
  ];

  it("waits after a technical failure", () => {
    given(...histories.ordering)
      .when(inputs.failed)
      .then(facts.RegistrationParked)
      .andReacts({ kind: "park", reason: "The service is down" });
  });

  it("goes on where it was when staff says so", () => {
    given(...parkedIn("cancelling"))
      .when(inputs.retried)
      .then(facts.RegistrationUnparked)
      .andReacts({ kind: "call", request: { type: "cancel", name } });
  });

  it("asks about an order whose answer was lost before it sends it again", () => {
    given(...parkedIn("ordering"))
      .when(inputs.retried)
      .then(facts.RegistrationUnparked)
      .andReacts({ kind: "call", request: inquiry });
    given(...parkedIn("ordering"), facts.RegistrationUnparked)
      .when(inputs["not-held"])
      .then(facts.RegistrarOrderResumed)
      .andReacts(orderName);
  });

  it("waits after a refusal nobody foresaw", () => {
    given(...histories.confirming)
      .when(refuse("registration-not-found"))
      .then(parkedFor("registration-not-found: The name has no such registration in progress."));
  });

  const why = "The customer called";

  it("abandoned around the charge: what may have been charged is returned", () => {
    const abandoned = [...parkedIn("charging"), facts.RegistrationAbandoned];
    given(...parkedIn("charging"))
      .when(inputs.abandoned)
      .then(facts.RegistrationAbandoned)
      .andReacts(refundFor(why));
    given(...abandoned)
      .when(inputs.refunded)
      .then(facts.RegistrationChargeReturned)
      .andReacts(release("abandoned"));
    given(...abandoned)
      .when(refuse("charge-not-found"))
      .then(facts.RegistrationNeverCharged)
      .andReacts(release("abandoned"));
  });

  it.each(["ordering", "inquiring", "confirming"] as const)(
    "abandoned in %s: the name is held and the order settled with the registrar, which may have it",
    (status) => {
      given(...parkedIn(status))
        .when(inputs.abandoned)
        .then(facts.RegistrationAbandoned)
        .andReacts(hold);
    },
  );

  it("abandoned while it undoes: it goes on undoing, whatever it had still to settle", () => {
    given(...parkedIn("holding"))
      .when(inputs.abandoned)
      .then(facts.RegistrationAbandoned)
      .andReacts(hold);
    given(...parkedIn("refunding"))
      .when(inputs.abandoned)
      .then(facts.RegistrationAbandoned)
      .andReacts(refundFor("Policy"));
    given(...parkedIn("releasing"))
      .when(inputs.abandoned)
      .then(facts.RegistrationAbandoned)
      .andReacts(release("charge-refused"));
  });

  it.each(["settling", "cancelling"] as const)(
    "abandoned in %s: staff has settled it with the registrar",
    (status) => {
      given(...parkedIn(status))
        .when(inputs.abandoned)
        .then(facts.RegistrationAbandoned)
        .andReacts(release("abandoned"));
    },
  );

  it("abandoned while it delivered: the domain stays the account's", () => {
    given(...parkedIn("delivering"))
      .when(inputs.abandoned)
      .then(facts.RegistrationAbandoned, completed("delivered"))
      .andReacts({ kind: "complete" });
  });

  it("is refused nothing of a charge it knows of: a missing one is for staff", () => {
    given(...histories.refunding)
      .when(refuse("charge-not-found"))
      .then(parkedFor("charge-not-found: There is no such charge to refund."));
  });
});
