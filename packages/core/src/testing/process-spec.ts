import { expect } from "vitest";

import type { DomainEvent } from "../kernel/decider.ts";
import type { Beginning, Process, Reaction } from "../kernel/process.ts";

type AnyReaction = Reaction<unknown, unknown> | Beginning<unknown>;

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
  andReacts(reaction: AnyReaction): void;
}

/** A story about a process: given a run's facts, when this input comes, then those facts and that reaction. */
export interface ProcessSpec<State, Input, Event> {
  given(...history: readonly Event[]): { when(input: Input): ThenFacts<State, Event> };
}

/** Tells stories about a process, in specs. */
export function processSpec<State, Input, Event extends DomainEvent>(
  process: Process<State, Input, Event>,
  react: (state: State) => AnyReaction,
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
            andReacts(reaction) {
              expect(react(state)).toStrictEqual(reaction);
            },
          };
        };
        return { then: expectFacts, thenNothing: expectFacts };
      },
    }),
  };
}
