import { categoryOf, codecOfCategory, StoredEventError, type MendedEvent } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";

import { decodeStored } from "./decode.codec.ts";

/** Why each event contradicts the events before it, by the event's id. */
export type Contradictions = ReadonlyMap<string, string>;

/** Finds out which events contradict those before them, in log order. */
export interface ContradictionFinder {
  readonly see: (event: LogEvent) => void;
  readonly found: Contradictions;
}

/**
 * Finds which of the events that staff had passed over, and that can be read, contradict the events before them. Deciders and read models
 * go on without exactly those: an event that only an older version could not read counts again. It folds the streams of these events and
 * no others.
 */
export function contradictionFinder(answers: readonly MendedEvent[]): ContradictionFinder {
  const answered = new Set(answers.map(({ eventId }) => eventId));
  const states = new Map<string, unknown>();
  for (const { stream } of answers)
    states.set(stream, codecOfCategory(categoryOf(stream))?.fold?.initialState);
  const found = new Map<string, string>();
  return {
    found,
    see(stored) {
      const { stream, id } = stored;
      if (!states.has(stream)) return;
      const { event } = decodeStored(stored);
      if (event === undefined) return;
      try {
        states.set(stream, codecOfCategory(categoryOf(stream))?.fold?.evolve(states.get(stream), event));
      } catch (error) {
        if (!(error instanceof StoredEventError)) throw error;
        if (answered.has(id)) found.set(id, error.message);
      }
    },
  };
}
