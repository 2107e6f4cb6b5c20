import { expect } from "vitest";

import type { DomainEvent } from "../kernel/decider.ts";
import type { Process } from "../kernel/process.ts";

/** What comes of an input. */
export interface ThenFacts<State, Event> {
  /** Exactly these facts are added; the run is then folded over them, for what it does next. */
  then(...facts: readonly Event[]): AndNext<State>;
  /** The input comes too late, twice, or not to this step: nothing is added. */
  thenNothing(): AndNext<State>;
}

/** What a run does after its facts. */
export interface AndNext<State> {
  readonly state: State;
  /** The next action has at least these properties. */
  andDoes(action: object): void;
}

/** A given/when/then about a process: given a run's facts, when this input comes, then those facts and that action. */
export interface ProcessSpec<State, Input, Event> {
  given(...history: readonly Event[]): { when(input: Input): ThenFacts<State, Event> };
}

/** Writes specs of a process. */
export function processSpec<State, Input, Event extends DomainEvent>(
  process: Process<State, Input, Event>,
  nextAction: (state: State) => object,
): ProcessSpec<State, Input, Event> {
  return {
    given: (...history) => ({
      when(input) {
        const before = history.reduce(process.evolve, process.initialState);
        const added = process.decide(input, before);
        const expectFacts = (...facts: readonly Event[]): AndNext<State> => {
          expect(added).toStrictEqual(facts);
          const state = added.reduce(process.evolve, before);
          return {
            state,
            andDoes(action) {
              expect(nextAction(state)).toMatchObject(action);
            },
          };
        };
        return { then: expectFacts, thenNothing: expectFacts };
      },
    }),
  };
}
