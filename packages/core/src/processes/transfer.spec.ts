import { describe, expect, it } from "vitest";

import { addMilliseconds } from "../calendar/calendar.ts";
import { transferCommands } from "../domain/domain-transfer.fixture.ts";
import { reserve } from "../domain/domain.fixture.ts";
import { processSpec } from "../testing/process-spec.ts";
import { describePaidOrder } from "./paid-order/paid-order.contract.fixture.ts";
import type { Chance } from "./paid-order/paid-order.pending.fixture.ts";
import { Scenario } from "./paid-order/paid-order.scenario.fixture.ts";
import type { RegistrarRegistration } from "./registration.process.ts";
import { transferRunCodec, type TransferEvent } from "./transfer.events.ts";
import * as examples from "./transfer.fixture.ts";
import { transferIn, type Transfer } from "./transfer.process.ts";

const { at, events, held, histories, inputs, soon, subject } = examples;

/** The name is reserved for the transfer; a rival registers it as soon as it is free. */
function scenarioOf(chance: Chance) {
  const scenario = new Scenario<Transfer, RegistrarRegistration>(chance, at, { held });
  const { domain } = scenario;
  domain.execute(transferCommands.ReserveTransfer);
  return {
    process: examples.process,
    scenario,
    chance,
    isCancellable: false,
    beginning: () => (domain.state.status === "transferring" ? subject : undefined),
    meanwhile() {
      const luck = chance("nothing", "nothing", "top-up", "rival");
      if (luck === "top-up") scenario.topUp(5_000n);
      if (luck === "rival") domain.execute(reserve({ registrationId: "rival", accountId: 8, domainId: 4 }));
    },
    outside: () => ({
      isConfirmed: domain.state.status === "registered",
      isReserved: domain.state.status === "transferring",
    }),
  };
}

describePaidOrder({
  ...examples,
  title: "The transfer of a name to us",
  table: "./transfer.table.md",
  codec: transferRunCodec,
  hasProvider: true,
  scenario: scenarioOf,
  goodLuck: [
    "TransferRunStarted",
    "TransferCharged",
    "TransferPending",
    "RegistrarOrderCompleted",
    "TransferCompleted",
  ],
});

describe("a transfer order that the registry accepted", () => {
  const transfer = processSpec(examples.process, (state) => examples.process.nextAction(state, at));
  const pendingAt = (nextInquiryAt: string): TransferEvent => ({
    type: "TransferPending",
    data: { nextInquiryAt, at },
  });

  it("is inquired repeatedly, at last hourly", () => {
    transfer
      .given(...histories.ordering)
      .when(inputs.pending)
      .then(pendingAt(soon))
      .andDoes({ kind: "call", request: { type: "inquire-transfer", isTaken: true }, notBefore: soon });
    transfer
      .given(...histories.awaiting)
      .when(inputs.pending)
      .then(pendingAt(addMilliseconds(at, 2_000)));
    const often = Array.from({ length: 20 }, () => events.TransferPending);
    transfer
      .given(...histories.awaiting, ...often)
      .when(inputs.pending)
      .then(pendingAt(addMilliseconds(at, 3_600_000)))
      .andDoes({ kind: "call", longestPauseMs: 3_600_000 });
  });

  it("waits for staff after more than a week without a result", () => {
    const limit = transferIn.provider?.pending?.limit ?? 0;
    expect(limit * 3_600_000).toBeGreaterThan(7 * 86_400_000);
    const often = Array.from({ length: limit - 1 }, () => events.TransferPending);
    transfer
      .given(...histories.awaiting, ...often)
      .when(inputs.pending)
      .then({
        type: "TransferParked",
        data: { reason: "The registrar does not tell what has become of the transfer", at },
      });
  });

  it("stores the reason of its refusal, with a code that helps the customer", () => {
    transfer
      .given(...histories.ordering)
      .when({ ...inputs.refused, code: "invalid-auth-code" })
      .then({ type: "TransferOrderRefused", data: { reason: "Policy", code: "invalid-auth-code", at } })
      .andDoes({ kind: "compensate", command: { refund: { of: "registration", reason: "Policy" } } });
  });

  it("that the registrar no longer has is handled as after no answer", () => {
    transfer
      .given(...histories.awaiting)
      .when(inputs["not-held"])
      .then({
        type: "RegistrarOutcomeUnknown",
        data: { cause: "unanswered", reason: "The registrar did not carry out the transfer", at },
      })
      .andDoes({ kind: "call", request: { type: "inquire-transfer" } });
  });

  it("is refused if the registrar refuses it after no answer", () => {
    transfer
      .given(...histories.asking)
      .when(inputs.refused)
      .then(events.TransferOrderRefused)
      .andDoes({ kind: "compensate", command: { refund: { of: "registration" } } });
  });

  const abandoned = [...histories.awaiting, events.TransferParked, events.TransferAbandoned];

  it("is withdrawn when staff end the run, and the money is returned", () => {
    transfer
      .given(...histories.awaiting, events.TransferParked)
      .when(inputs.abandoned)
      .then(events.TransferAbandoned)
      .andDoes({ kind: "call", request: { type: "withdraw-transfer" } });
    transfer
      .given(...abandoned)
      .when(inputs["not-held"])
      .then({
        type: "TransferOrderRefused",
        data: { reason: "The customer called", code: null, at },
      });
  });

  it("stands if it completed before the withdrawal arrived", () => {
    transfer
      .given(...abandoned)
      .when(inputs.held)
      .then(events.RegistrarOrderCompleted);
  });

  it.each(["pending", "unknown", "unreachable"] as const)(
    "keeps its charge while the name may come: %s waits for staff again",
    (answer) => {
      const state = abandoned.reduce(examples.process.evolve, examples.process.initialState);
      const [event] = examples.process.decide(inputs[answer], state);
      expect(event?.type).toBe("TransferParked");
    },
  );

  it("is answered as pending, also while it waits for staff", () => {
    const answered = (history: readonly TransferEvent[]) =>
      examples.process.answer(history.reduce(examples.process.evolve, examples.process.initialState));
    const pending = { kind: "pending", charge: examples.charge };
    expect(answered(histories.awaiting)).toEqual({
      ...pending,
      charge: { ...examples.charge },
    });
    expect(answered([...histories.awaiting, events.TransferParked])).toMatchObject(pending);
  });
});
