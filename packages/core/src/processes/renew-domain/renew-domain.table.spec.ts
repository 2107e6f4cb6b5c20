import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../../kernel/decider.ts";
import type { RenewalEvent } from "./renew-domain.events.ts";
import { facts, histories, inputs } from "./renew-domain.fixture.ts";
import type { RenewalInput } from "./renew-domain.inputs.ts";
import { renewDomain } from "./renew-domain.process.ts";
import { react } from "./renew-domain.reaction.ts";
import type { RenewalState } from "./renew-domain.state.ts";

type Status = RenewalState["status"];
type Facts = readonly RenewalEvent["type"][];
type Row = Readonly<Record<RenewalInput["type"], Facts>>;

const nothing: Facts = [];
const parked: Facts = ["RenewalParked"];

/** Nothing comes of anything; each status says what differs. */
const silent: Row = {
  started: nothing,
  charged: nothing,
  refunded: nothing,
  accepted: nothing,
  rejected: nothing,
  held: nothing,
  "not-held": nothing,
  refused: nothing,
  unreachable: nothing,
  unknown: nothing,
  resumed: nothing,
  failed: nothing,
  retried: nothing,
  abandoned: nothing,
};
/** A takeover changes nothing where the step is safe to repeat; a refusal nobody foresaw and a failure park. */
const acting: Row = { ...silent, rejected: parked, failed: parked };

/** Every input in every status: the facts it adds. A status without its row does not compile. */
const table: Readonly<Record<Status, Row>> = {
  new: { ...silent, started: ["RenewalRunStarted"] },
  charging: { ...acting, charged: ["RenewalCharged"] },
  ordering: {
    ...acting,
    held: ["RenewalOrderCompleted"],
    refused: ["RenewalOutcomeUnknown"],
    unreachable: ["RenewalOrderRefused"],
    unknown: ["RenewalOutcomeUnknown"],
    resumed: ["RenewalOutcomeUnknown"],
  },
  inquiring: {
    ...acting,
    held: ["RenewalOrderCompleted"],
    "not-held": ["RenewalOrderRefused"],
    refused: ["RenewalInquiryFailed"],
    unreachable: ["RenewalInquiryFailed"],
    unknown: ["RenewalInquiryFailed"],
  },
  confirming: { ...acting, accepted: ["RenewalCompleted"] },
  refunding: { ...acting, refunded: ["RenewalChargeReturned"] },
  failing: { ...acting, accepted: ["RenewalCompleted"] },
  parked: { ...silent, retried: ["RenewalUnparked"], abandoned: ["RenewalAbandoned"] },
  completed: silent,
};

const isStatus = (text: string): text is Status => text in table;
const statuses = Object.keys(table).filter(isStatus);

function fold(history: readonly RenewalEvent[]): RenewalState {
  return history.reduce(renewDomain.evolve, renewDomain.initialState);
}

describe("a renewal run, every input in every status", () => {
  test.each(statuses)("the example history leads to %s", (status) => {
    expect(fold(histories[status]).status).toBe(status);
  });

  for (const status of statuses) {
    test.each(Object.values(inputs))(`${status}: $type`, (input) => {
      const state = fold(histories[status]);
      const added = renewDomain.decide(input, state);
      expect(added.map((fact) => fact.type)).toEqual(table[status][input.type]);
      // What is decided can always follow, so that no run writes a stream it cannot read again.
      expect(() => added.reduce(renewDomain.evolve, state)).not.toThrow();
    });
  }
});

describe("a run's stream, every fact in every status", () => {
  const canFollow: Readonly<Record<Status, Facts>> = {
    new: ["RenewalRunStarted"],
    charging: ["RenewalCharged", "RenewalChargeRefused", "RenewalParked"],
    ordering: ["RenewalOrderCompleted", "RenewalOrderRefused", "RenewalOutcomeUnknown", "RenewalParked"],
    inquiring: [
      "RenewalOrderCompleted",
      "RenewalOrderRefused",
      "RenewalOrderResumed",
      "RenewalInquiryFailed",
      "RenewalParked",
    ],
    confirming: ["RenewalCompleted", "RenewalParked"],
    refunding: ["RenewalNeverCharged", "RenewalChargeReturned", "RenewalParked"],
    // The example completes as renewed, which a failure cannot be.
    failing: ["RenewalParked"],
    parked: ["RenewalUnparked", "RenewalAbandoned"],
    completed: [],
  };

  for (const status of statuses) {
    test.each(Object.values(facts))(`${status}: $type`, (fact) => {
      const append = (): RenewalState => fold([...histories[status], fact]);
      if (canFollow[status].includes(fact.type)) expect(append).not.toThrow();
      else expect(append).toThrow(CorruptStreamError);
    });
  }

  it("cannot end as renewed where it failed, nor the other way round", () => {
    const failed: RenewalEvent = {
      ...facts.RenewalCompleted,
      data: { ...facts.RenewalCompleted.data, outcome: "failed" },
    };
    expect(() => fold([...histories.failing, failed])).not.toThrow();
    expect(() => fold([...histories.confirming, failed])).toThrow(CorruptStreamError);
  });
});

describe("what a run does next", () => {
  const kinds: Readonly<Record<Status, ReturnType<typeof react>["kind"]>> = {
    new: "complete",
    charging: "send",
    ordering: "call",
    inquiring: "call",
    confirming: "compensate",
    refunding: "compensate",
    failing: "compensate",
    parked: "park",
    completed: "complete",
  };

  it.each(statuses)("in %s", (status) => {
    expect(react(fold(histories[status])).kind).toBe(kinds[status]);
  });
});
