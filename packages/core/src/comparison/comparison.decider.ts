import { addMilliseconds } from "../calendar/calendar.ts";
import { accept, type Command, type Decider } from "../kernel/decider.ts";
import type { Comparison, ComparisonEvent } from "./comparison.events.ts";

/** Records what a comparison came to. */
export type RecordComparison = Command<"RecordComparison", Omit<Comparison, "comparedAt">>;

/** The last comparison of a part of the books. */
export interface ComparisonState {
  readonly last: Comparison | undefined;
}

/** The rules of comparisons: two that began apart are two facts. */
export const comparison: Decider<RecordComparison, ComparisonState, ComparisonEvent> = {
  initialState: { last: undefined },
  decide({ data: { at, ...result } }, { last }) {
    if (last?.beganAt === result.beganAt) return accept();
    return accept({ type: "BooksCompared", data: { ...result, comparedAt: at } });
  },
  evolve: (_, { data }) => ({ last: data }),
};

/**
 * When the next comparison is due: so long after the last one. One that was recorded under a clock that was ahead holds nothing up.
 * @param everyMs milliseconds. @returns `now` where it is due.
 */
export function nextComparisonAt(last: Comparison | undefined, everyMs: number, now: string): string {
  if (last === undefined || last.comparedAt > now) return now;
  const due = addMilliseconds(last.comparedAt, everyMs);
  return due > now ? due : now;
}
