import { expect } from "vitest";

import type { Decider, Decision, DomainEvent } from "../kernel/decider.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import type { RejectionDetail } from "../kernel/rejection.ts";

export interface ThenDecision<Event> {
  /** The command adds exactly these events, and they can follow the history. */
  then(...events: readonly Event[]): void;
  /** The command is accepted and adds no event. */
  thenNothing(): void;
  /** The command is rejected; an omitted detail is not compared. */
  thenRejected(code: RejectionCode, detail?: RejectionDetail): void;
}

/** A given/when/then spec of a decider: past events, a command and the expected decision. */
export interface DeciderSpec<Command, Event> {
  given(...history: readonly Event[]): { when(command: Command): ThenDecision<Event> };
}

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
  const expectEvents = (...events: readonly Event[]): void => {
    expect(decision).toStrictEqual({ accepted: true, events });
    checkThatTheyFollow(events);
  };
  return {
    then: expectEvents,
    thenNothing: expectEvents,
    thenRejected(code, detail) {
      expect(decision.accepted ? decision.events : decision.rejection.code).toStrictEqual(code);
      if (detail !== undefined && !decision.accepted) expect(decision.rejection.detail).toStrictEqual(detail);
    },
  };
}
