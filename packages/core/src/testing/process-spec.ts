import { expect } from "vitest";

import type { DomainEvent } from "../kernel/decider.ts";
import type { Process } from "../kernel/process.ts";

export interface ThenEvents<State, Event> {
  /** The input adds exactly these events; the next action is then taken from the new state. */
  then(...events: readonly Event[]): AndNext<State>;
  /** The input adds nothing, because it arrives too late, twice, or in another step. */
  thenNothing(): AndNext<State>;
}

export interface AndNext<State> {
  readonly state: State;
  /** The next action has at least these properties. */
  andDoes(action: object): void;
}

/** A given/when/then spec of a process: past events, an input, the expected events and the next action. */
export interface ProcessSpec<State, Input, Event> {
  given(...history: readonly Event[]): { when(input: Input): ThenEvents<State, Event> };
}

export function processSpec<State, Input, Event extends DomainEvent>(
  process: Process<State, Input, Event>,
  nextAction: (state: State) => object,
): ProcessSpec<State, Input, Event> {
  return {
    given: (...history) => ({
      when(input) {
        const before = history.reduce(process.evolve, process.initialState);
        const added = process.decide(input, before);
        const expectEvents = (...events: readonly Event[]): AndNext<State> => {
          expect(added).toStrictEqual(events);
          const state = added.reduce(process.evolve, before);
          return {
            state,
            andDoes(action) {
              expect(nextAction(state)).toMatchObject(action);
            },
          };
        };
        return { then: expectEvents, thenNothing: expectEvents };
      },
    }),
  };
}
