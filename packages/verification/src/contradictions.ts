import { categoryOf, codecOfCategory, StoredEventError, type MendedEvent } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";

import { decodeStored } from "./decode.codec.ts";

/** Reasons of contradictory events by event id. */
export type Contradictions = ReadonlyMap<string, string>;

/** Finds events that contradict earlier events, in log order. */
export interface ContradictionFinder {
  readonly see: (event: LogEvent) => void;
  readonly found: Contradictions;
}

/**
 * Finds readable events that staff skipped and that contradict earlier events. Deciders and read models ignore exactly
 * those; an event that only an older version
 * could not read counts again. Only the streams of these events are folded.
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
