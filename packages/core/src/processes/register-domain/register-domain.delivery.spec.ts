import { describe, expect, it } from "vitest";

import { addMilliseconds } from "../../calendar/calendar.ts";
import type { RegistrationEvent } from "./register-domain.events.ts";
import {
  at,
  customNameservers,
  facts,
  histories,
  inputs,
  reservation,
  started,
} from "./register-domain.fixture.ts";
import {
  afterMany,
  completed,
  createZone,
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
import { delegationSchedule, zoneSchedule } from "../retry-schedule.ts";

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
      .then(facts.RegistrationConfirmed)
      .andReacts(createZone);
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

describe("the customer's own nameservers", () => {
  it("are asked of the registrar instead of a zone", () => {
    given(started(customNameservers), facts.RegistrationCharged, facts.RegistrarOrderCompleted)
      .when(inputs.accepted)
      .then(facts.RegistrationConfirmed)
      .andReacts({ kind: "call", request: { type: "delegate", name, nameservers: customNameservers } });
    given()
      .when({ type: "reserved", reservation: reservation(customNameservers), at })
      .then(started(customNameservers));
  });

  it("are told to the name's stream, and complete the run", () => {
    given(...histories.delegating)
      .when(inputs.done)
      .then(facts.DelegationCompleted)
      .andReacts(
        tellName({
          type: "RecordNameserversChanged",
          data: { registrationId, nameservers: customNameservers },
        }),
      );
    given(...histories["recording-delegation"])
      .when(inputs.accepted)
      .then(completed("delivered"));
  });

  it("that are refused leave the service's, a warning and a zone", () => {
    given(...histories.delegating)
      .when(inputs.refused)
      .then(facts.DelegationRefused)
      .andReacts(
        tellName({
          type: "RecordNameserversRefused",
          data: { registrationId, requested: customNameservers, reason: "Policy" },
        }),
      );
    given(...histories["recording-refused-delegation"])
      .when(inputs.accepted)
      .then(facts.DelegationRefusalRecorded)
      .andReacts(createZone);
  });

  it("are asked for again when the registrar does not answer, three times in all; then staff is asked", () => {
    given(...histories.delegating)
      .when(inputs.unknown)
      .then(facts.DelegationUnanswered);
    const state = afterMany(histories.delegating, inputs.unknown, delegationSchedule.limit);
    expect(state).toMatchObject({
      status: "parked",
      reason: "The registrar does not tell whether it took the nameservers: No answer",
    });
  });
});

describe("a zone that is refused", () => {
  it("is told to the name's stream, and tried again", () => {
    given(...histories["creating-zone"])
      .when(inputs.refused)
      .then(facts.ZoneAttemptFailed)
      .andReacts(tellName({ type: "RecordZoneFailed", data: { registrationId, reason: "Policy" } }));
    given(...histories["recording-zone-failure"])
      .when(inputs.accepted)
      .then(facts.ZoneFailureRecorded)
      .andReacts({ ...createZone, notBefore: facts.ZoneAttemptFailed.data.nextAttemptAt });
  });

  it("is told once, not at every attempt", () => {
    given(...histories["recording-zone-failure"], facts.ZoneFailureRecorded)
      .when(inputs.unknown)
      .then({
        type: "ZoneAttemptFailed",
        data: { reason: "No answer", nextAttemptAt: addMilliseconds(at, 2_000), at },
      })
      .andReacts({ ...createZone, notBefore: addMilliseconds(at, 2_000) });
  });

  it("is for staff after two days", () => {
    const told = [...histories["recording-zone-failure"], facts.ZoneFailureRecorded];
    expect(afterMany(told, inputs.refused, zoneSchedule.limit).status).toBe("parked");
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
    given(...parkedIn("creating-zone"))
      .when(inputs.retried)
      .then(facts.RegistrationUnparked)
      .andReacts(createZone);
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

  it.each([
    "delegating",
    "recording-delegation",
    "creating-zone",
    "recording-zone-failure",
    "recording-zone",
  ] as const)("abandoned in %s: the domain stays the account's", (status) => {
    given(...parkedIn(status))
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
