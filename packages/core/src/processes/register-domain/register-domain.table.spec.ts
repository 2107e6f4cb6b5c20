import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../../kernel/decider.ts";
import type { RegistrationEvent } from "./register-domain.events.ts";
import { facts, histories, inputs } from "./register-domain.fixture.ts";
import type { RegistrationInput } from "./register-domain.inputs.ts";
import { registerDomain } from "./register-domain.process.ts";
import { react } from "./register-domain.reaction.ts";
import type { RegistrationState } from "./register-domain.state.ts";

type Status = RegistrationState["status"];
type InputType = RegistrationInput["type"];
type FactType = RegistrationEvent["type"];
type Facts = readonly FactType[];
type Row = Readonly<Record<InputType, Facts>>;

const nothing: Facts = [];
const parked: Facts = ["RegistrationParked"];
const notItsStart = { reserved: nothing } as const;
const notForStaff = { retried: nothing, abandoned: nothing } as const;
const notTheAccount = { charged: nothing, refunded: nothing } as const;
const notAnAggregate = { accepted: nothing, rejected: parked } as const;
const notAParty = {
  done: nothing,
  held: nothing,
  "not-held": nothing,
  refused: nothing,
  unknown: nothing,
} as const;
/** A takeover changes nothing where the step is safe to repeat; a technical failure parks. */
const repeatable = { resumed: nothing, failed: parked } as const;

const asking = {
  ...notItsStart,
  ...notForStaff,
  ...notTheAccount,
  ...notAnAggregate,
  ...repeatable,
} as const;
const commanding = {
  ...notItsStart,
  ...notForStaff,
  ...notTheAccount,
  ...notAParty,
  ...repeatable,
  rejected: parked,
} as const;

/** Every input in every status: the facts it adds. A status or an input without its row does not compile. */
const table: Readonly<Record<Status, Row>> = {
  new: {
    reserved: ["RegistrationStarted"],
    ...notForStaff,
    ...notTheAccount,
    ...notAParty,
    accepted: nothing,
    rejected: nothing,
    resumed: nothing,
    failed: nothing,
  },
  charging: { ...commanding, charged: ["RegistrationCharged"], accepted: nothing },
  ordering: {
    ...asking,
    done: nothing,
    held: ["RegistrarOrderCompleted"],
    "not-held": nothing,
    refused: ["RegistrarOrderRefused"],
    unknown: ["RegistrarOutcomeUnknown"],
    resumed: ["RegistrarOutcomeUnknown"],
  },
  inquiring: {
    ...asking,
    done: nothing,
    held: ["RegistrarOrderCompleted"],
    "not-held": ["RegistrarOrderRefused"],
    refused: ["RegistrarInquiryFailed"],
    unknown: ["RegistrarInquiryFailed"],
  },
  confirming: { ...commanding, accepted: ["RegistrationConfirmed", "RegistrationCompleted"] },
  holding: { ...commanding, accepted: ["RegistrationLeftUnsettled"] },
  refunding: { ...commanding, accepted: nothing, refunded: ["RegistrationChargeReturned"] },
  releasing: { ...commanding, accepted: ["RegistrationCompleted"] },
  settling: {
    ...asking,
    done: nothing,
    held: ["RegistrarCancellationDue"],
    "not-held": ["RegistrarOrderRefused"],
    refused: ["RegistrarInquiryFailed"],
    unknown: ["RegistrarInquiryFailed"],
  },
  cancelling: {
    ...asking,
    done: ["RegistrarOrderCancelled"],
    held: nothing,
    "not-held": nothing,
    refused: ["RegistrarCancellationDue"],
    unknown: ["RegistrarCancellationDue"],
  },
  // Only the name answers it: that it is registered.
  delivering: { ...commanding, accepted: nothing },
  parked: {
    ...notItsStart,
    ...notTheAccount,
    ...notAParty,
    accepted: nothing,
    rejected: nothing,
    resumed: nothing,
    failed: nothing,
    retried: ["RegistrationUnparked"],
    abandoned: ["RegistrationAbandoned"],
  },
  completed: {
    ...notItsStart,
    ...notForStaff,
    ...notTheAccount,
    ...notAParty,
    accepted: nothing,
    rejected: nothing,
    resumed: nothing,
    failed: nothing,
  },
};

function isStatus(text: string): text is Status {
  return text in table;
}

function fold(history: readonly RegistrationEvent[]): RegistrationState {
  return history.reduce(registerDomain.evolve, registerDomain.initialState);
}

const statuses = Object.keys(table).filter(isStatus);

describe("a registration run, every input in every status", () => {
  test.each(statuses)("the example history leads to %s", (status) => {
    expect(fold(histories[status]).status).toBe(status);
  });

  for (const status of statuses) {
    test.each(Object.values(inputs))(`${status}: $type`, (input) => {
      const state = fold(histories[status]);
      const added = registerDomain.decide(input, state);
      expect(added.map((fact) => fact.type)).toEqual(table[status][input.type]);
      // What is decided can always follow, so that no run writes a stream it cannot read again.
      expect(() => added.reduce(registerDomain.evolve, state)).not.toThrow();
    });
  }
});

describe("a run's stream, every fact in every status", () => {
  const stepFacts: Readonly<Record<Status, Facts>> = {
    new: ["RegistrationStarted"],
    charging: ["RegistrationCharged", "RegistrationChargeRefused"],
    ordering: [
      "RegistrarOrderCompleted",
      "RegistrarOrderRefused",
      "RegistrarOutcomeUnknown",
      "RegistrarOrderResumed",
    ],
    inquiring: [
      "RegistrarOrderCompleted",
      "RegistrarOrderRefused",
      "RegistrarOutcomeUnknown",
      "RegistrarOrderResumed",
      "RegistrarInquiryFailed",
    ],
    confirming: ["RegistrationConfirmed"],
    holding: ["RegistrationLeftUnsettled", "RegistrationConfirmed"],
    refunding: ["RegistrationNeverCharged", "RegistrationChargeReturned"],
    // The example completes as delivered, which a released name cannot be.
    releasing: [],
    settling: ["RegistrarInquiryFailed", "RegistrarCancellationDue", "RegistrarOrderRefused"],
    cancelling: ["RegistrarCancellationDue", "RegistrarOrderCancelled"],
    // Facts of the time when delivery was part of the run are read, and change nothing.
    delivering: [
      "DelegationUnanswered",
      "DelegationCompleted",
      "DelegationRefused",
      "DelegationRefusalRecorded",
      "ZoneDelivered",
      "ZoneAttemptFailed",
      "ZoneFailureRecorded",
      "RegistrationCompleted",
    ],
    parked: ["RegistrationUnparked", "RegistrationAbandoned"],
    completed: [],
  };
  const restless: readonly Status[] = ["new", "parked", "completed"];

  for (const status of statuses) {
    test.each(Object.values(facts))(`${status}: $type`, (fact) => {
      const canFollow =
        stepFacts[status].includes(fact.type) ||
        (fact.type === "RegistrationParked" && !restless.includes(status));
      const append = (): RegistrationState => fold([...histories[status], fact]);
      if (canFollow) expect(append).not.toThrow();
      else expect(append).toThrow(CorruptStreamError);
    });
  }
});

describe("what a run does next", () => {
  const kinds: Readonly<Record<Status, ReturnType<typeof react>["kind"]>> = {
    new: "complete",
    charging: "send",
    ordering: "call",
    inquiring: "call",
    confirming: "send",
    holding: "compensate",
    refunding: "compensate",
    releasing: "compensate",
    settling: "call",
    cancelling: "call",
    delivering: "compensate",
    parked: "park",
    completed: "complete",
  };

  it.each(statuses)("in %s", (status) => {
    expect(react(fold(histories[status])).kind).toBe(kinds[status]);
  });
});
