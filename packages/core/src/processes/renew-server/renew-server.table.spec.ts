import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../../kernel/decider.ts";
import type { ServerRenewalEvent } from "./renew-server.events.ts";
import { facts, histories, inputs } from "./renew-server.fixture.ts";
import type { ServerRenewalInput } from "./renew-server.inputs.ts";
import { renewServer } from "./renew-server.process.ts";
import { react } from "./renew-server.reaction.ts";
import type { ServerRenewalState } from "./renew-server.state.ts";

type Status = ServerRenewalState["status"];
type InputType = ServerRenewalInput["type"];
type FactType = ServerRenewalEvent["type"];
type Facts = readonly FactType[];
type Row = Readonly<Record<InputType, Facts>>;

const nothing: Facts = [];
const parked: Facts = ["ServerRenewalParked"];
const completed: Facts = ["ServerRenewalCompleted"];
/** A takeover changes nothing, every step is safe to repeat; a technical failure and an unforeseen refusal park. */
const unmoved: Row = {
  requested: nothing,
  charged: nothing,
  refunded: nothing,
  renewed: nothing,
  "not-renewed": nothing,
  rejected: parked,
  done: nothing,
  refused: nothing,
  unknown: nothing,
  resumed: nothing,
  failed: parked,
  retried: nothing,
  abandoned: nothing,
};
const atRest: Row = { ...unmoved, rejected: nothing, failed: nothing };

/** Every input in every status: the facts it adds. A status without its row does not compile. */
const table: Readonly<Record<Status, Row>> = {
  new: { ...atRest, requested: ["ServerRenewalStarted"] },
  charging: { ...unmoved, charged: ["ServerRenewalCharged"] },
  recording: { ...unmoved, renewed: ["ServerRenewalRecorded"] },
  withdrawing: {
    ...unmoved,
    renewed: ["ServerRenewalRecorded"],
    "not-renewed": ["ServerRenewalNotRecorded"],
  },
  refunding: { ...unmoved, refunded: ["ServerRenewalChargeReturned", "ServerRenewalCompleted"] },
  resuming: {
    ...unmoved,
    done: completed,
    refused: ["ServerResumptionFailed"],
    unknown: ["ServerResumptionFailed"],
  },
  // Only ever between two facts of one append: whatever comes, its last fact follows.
  ending: {
    requested: completed,
    charged: completed,
    refunded: completed,
    renewed: completed,
    "not-renewed": completed,
    rejected: completed,
    done: completed,
    refused: completed,
    unknown: completed,
    resumed: completed,
    failed: completed,
    retried: completed,
    abandoned: completed,
  },
  parked: { ...atRest, retried: ["ServerRenewalUnparked"], abandoned: ["ServerRenewalAbandoned"] },
  completed: atRest,
};

function isStatus(text: string): text is Status {
  return text in table;
}

function fold(history: readonly ServerRenewalEvent[]): ServerRenewalState {
  return history.reduce(renewServer.evolve, renewServer.initialState);
}

const statuses = Object.keys(table).filter(isStatus);

describe("the run of a renewal, every input in every status", () => {
  test.each(statuses)("the example history leads to %s", (status) => {
    expect(fold(histories[status]).status).toBe(status);
  });

  for (const status of statuses) {
    test.each(Object.values(inputs))(`${status}: $type`, (input) => {
      const state = fold(histories[status]);
      const added = renewServer.decide(input, state);
      expect(added.map((fact) => fact.type)).toEqual(table[status][input.type]);
      // What is decided can always follow, so that no run writes a stream it cannot read again; and nothing ends there.
      const next = added.reduce(renewServer.evolve, state);
      if (status !== "ending") expect(next.status).not.toBe("ending");
    });
  }
});

describe("a run's stream, every fact in every status", () => {
  const stepFacts: Readonly<Record<Status, Facts>> = {
    new: ["ServerRenewalStarted"],
    charging: ["ServerRenewalCharged", "ServerRenewalChargeRefused", "ServerRenewalParked"],
    recording: ["ServerRenewalRecorded", "ServerRenewalNotRecorded", "ServerRenewalParked"],
    withdrawing: ["ServerRenewalRecorded", "ServerRenewalNotRecorded", "ServerRenewalParked"],
    refunding: ["ServerRenewalNeverCharged", "ServerRenewalChargeReturned", "ServerRenewalParked"],
    resuming: ["ServerResumptionFailed", "ServerRenewalParked", "ServerRenewalCompleted"],
    ending: ["ServerRenewalCompleted"],
    parked: ["ServerRenewalUnparked", "ServerRenewalAbandoned"],
    completed: [],
  };

  for (const status of statuses) {
    test.each(Object.values(facts))(`${status}: $type`, (fact) => {
      const append = (): ServerRenewalState => fold([...histories[status], fact]);
      if (stepFacts[status].includes(fact.type)) expect(append).not.toThrow();
      else expect(append).toThrow(CorruptStreamError);
    });
  }
});

describe("what a run does next", () => {
  const kinds: Readonly<Record<Status, ReturnType<typeof react>["kind"]>> = {
    new: "complete",
    charging: "begin",
    recording: "send",
    withdrawing: "compensate",
    refunding: "compensate",
    resuming: "call",
    ending: "complete",
    parked: "park",
    completed: "complete",
  };

  it.each(statuses)("in %s", (status) => {
    expect(react(fold(histories[status])).kind).toBe(kinds[status]);
  });
});
