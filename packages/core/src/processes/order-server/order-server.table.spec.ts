import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../../kernel/decider.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";
import { facts, histories, inputs } from "./order-server.fixture.ts";
import type { ServerOrderInput } from "./order-server.inputs.ts";
import { orderServer } from "./order-server.process.ts";
import { react } from "./order-server.reaction.ts";
import type { ServerOrderState } from "./order-server.state.ts";

type Status = ServerOrderState["status"];
type InputType = ServerOrderInput["type"];
type FactType = ServerOrderEvent["type"];
type Facts = readonly FactType[];
type Row = Readonly<Record<InputType, Facts>>;

const nothing: Facts = [];
const parked: Facts = ["ServerOrderParked"];
/** A takeover changes nothing where the step is safe to repeat; a technical failure and an unforeseen refusal park. */
const unmoved: Row = {
  ordered: nothing,
  charged: nothing,
  refunded: nothing,
  accepted: nothing,
  rejected: parked,
  done: nothing,
  held: nothing,
  "not-held": nothing,
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
  new: { ...atRest, ordered: ["ServerOrderStarted"] },
  reserving: { ...unmoved, accepted: ["ServerOrderUnitTaken"] },
  placing: { ...unmoved, accepted: ["ServerOrderPlaced"] },
  charging: { ...unmoved, charged: ["ServerOrderCharged"] },
  provisioning: {
    ...unmoved,
    held: ["ComputeOrderCompleted"],
    refused: ["ComputeOrderRefused"],
    unknown: ["ComputeOutcomeUnknown"],
    resumed: ["ComputeOutcomeUnknown"],
  },
  inquiring: {
    ...unmoved,
    held: ["ComputeOrderCompleted"],
    "not-held": ["ComputeOrderRefused"],
    refused: ["ComputeInquiryFailed"],
    unknown: ["ComputeInquiryFailed"],
  },
  recording: { ...unmoved, accepted: ["ServerOrderCompleted"] },
  failing: { ...unmoved, accepted: ["ServerOrderFailureRecorded"] },
  refunding: { ...unmoved, refunded: ["ServerOrderChargeReturned"] },
  settling: {
    ...unmoved,
    held: ["ComputeDestructionDue"],
    "not-held": ["ComputeOrderRefused"],
    refused: ["ComputeInquiryFailed"],
    unknown: ["ComputeInquiryFailed"],
  },
  destroying: {
    ...unmoved,
    done: ["ComputeServerDestroyed"],
    refused: ["ComputeDestructionDue"],
    unknown: ["ComputeDestructionDue"],
  },
  returning: { ...unmoved, accepted: ["ServerOrderCompleted"] },
  parked: { ...atRest, retried: ["ServerOrderUnparked"], abandoned: ["ServerOrderAbandoned"] },
  completed: atRest,
};

function isStatus(text: string): text is Status {
  return text in table;
}

function fold(history: readonly ServerOrderEvent[]): ServerOrderState {
  return history.reduce(orderServer.evolve, orderServer.initialState);
}

const statuses = Object.keys(table).filter(isStatus);

describe("the run of an order, every input in every status", () => {
  test.each(statuses)("the example history leads to %s", (status) => {
    expect(fold(histories[status]).status).toBe(status);
  });

  for (const status of statuses) {
    test.each(Object.values(inputs))(`${status}: $type`, (input) => {
      const state = fold(histories[status]);
      const added = orderServer.decide(input, state);
      expect(added.map((fact) => fact.type)).toEqual(table[status][input.type]);
      // What is decided can always follow, so that no run writes a stream it cannot read again.
      expect(() => added.reduce(orderServer.evolve, state)).not.toThrow();
    });
  }
});

describe("a run's stream, every fact in every status", () => {
  const stepFacts: Readonly<Record<Status, Facts>> = {
    new: ["ServerOrderStarted"],
    reserving: ["ServerOrderUnitTaken", "ServerOrderRefused"],
    placing: ["ServerOrderPlaced"],
    charging: ["ServerOrderCharged", "ServerOrderRefused"],
    provisioning: ["ComputeOrderCompleted", "ComputeOrderRefused", "ComputeOutcomeUnknown"],
    inquiring: [
      "ComputeOrderCompleted",
      "ComputeOrderRefused",
      "ComputeOutcomeUnknown",
      "ComputeInquiryFailed",
      "ComputeOrderResumed",
    ],
    recording: ["ServerOrderCompleted"],
    // The example completes as provisioned, which an order can whose server was recorded by an earlier owner.
    failing: ["ServerOrderFailureRecorded", "ServerOrderCompleted"],
    refunding: ["ServerOrderNeverCharged", "ServerOrderChargeReturned"],
    settling: ["ComputeInquiryFailed", "ComputeDestructionDue", "ComputeOrderRefused"],
    destroying: ["ComputeDestructionDue", "ComputeServerDestroyed"],
    returning: [],
    parked: ["ServerOrderUnparked", "ServerOrderAbandoned"],
    completed: [],
  };
  const restless: readonly Status[] = ["new", "parked", "completed"];

  for (const status of statuses) {
    test.each(Object.values(facts))(`${status}: $type`, (fact) => {
      const canFollow =
        stepFacts[status].includes(fact.type) ||
        (fact.type === "ServerOrderParked" && !restless.includes(status));
      const append = (): ServerOrderState => fold([...histories[status], fact]);
      if (canFollow) expect(append).not.toThrow();
      else expect(append).toThrow(CorruptStreamError);
    });
  }
});

describe("what a run does next", () => {
  const kinds: Readonly<Record<Status, ReturnType<typeof react>["kind"]>> = {
    new: "complete",
    reserving: "begin",
    placing: "send",
    charging: "send",
    provisioning: "call",
    inquiring: "call",
    recording: "send",
    failing: "compensate",
    refunding: "compensate",
    settling: "call",
    destroying: "call",
    returning: "compensate",
    parked: "park",
    completed: "complete",
  };

  it.each(statuses)("in %s", (status) => {
    expect(react(fold(histories[status])).kind).toBe(kinds[status]);
  });
});
