import { expect } from "vitest";

import type { Decider, Decision, DomainEvent } from "../kernel/decider.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import type { RejectionDetail } from "../kernel/rejection.ts";

/** What a decision must be. */
export interface ThenDecision<Event> {
  /** Exactly these facts are added, and they can follow the history. */
  then(...events: readonly Event[]): void;
  /** The command is accepted and adds nothing: it was so already. */
  thenNothing(): void;
  /** The command is refused; the detail is compared where one is given. */
  thenRejected(code: RejectionCode, detail?: RejectionDetail): void;
}

/** A story about a decider: given these facts, when this command comes, then that. */
export interface DeciderSpec<Command, Event> {
  given(...history: readonly Event[]): { when(command: Command): ThenDecision<Event> };
}

/** Tells stories about a decider, in specs. */
export function deciderSpec<Command, State, Event extends DomainEvent>(
  decider: Decider<Command, State, Event>,
): DeciderSpec<Command, Event> {
  return {
    given: (...history) => ({
      when(command) {
        const state = history.reduce(decider.evolve, decider.initialState);
        return thenDecision(decider.decide(command, state), (events) => {
          events.reduce(decider.evolve, state);
        });
      },
    }),
  };
}

function thenDecision<Event>(
  decision: Decision<Event>,
  checkThatTheyFollow: (events: readonly Event[]) => void,
): ThenDecision<Event> {
  const expectFacts = (...events: readonly Event[]): void => {
    expect(decision).toStrictEqual({ accepted: true, events });
    checkThatTheyFollow(events);
  };
  return {
    then: expectFacts,
    thenNothing: expectFacts,
    thenRejected(code, detail) {
      expect(decision.accepted ? decision.events : decision.rejection.code).toStrictEqual(code);
      if (detail !== undefined && !decision.accepted) expect(decision.rejection.detail).toStrictEqual(detail);
    },
  };
}
