import { addMilliseconds } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { ComparedPart, Comparison, ComparisonEvent, FollowedDifference } from "./comparison.events.ts";

/** Records what a comparison came to. */
export type RecordComparison = Command<"RecordComparison", Omit<Comparison, "comparedAt">>;

/** Says which differences on which money or a name hangs are there, and which are there no more. */
export type FollowDifferences = Command<
  "FollowDifferences",
  {
    readonly part: ComparedPart;
    readonly found: readonly DifferenceIdentity[];
    readonly mended: readonly DifferenceIdentity[];
  }
>;

/** Everything that can be asked of the comparisons of a part of the books. */
export type ComparisonCommand = RecordComparison | FollowDifferences;

/** The last comparison of a part of the books, and what it follows. */
export interface ComparisonState {
  readonly last: Comparison | undefined;
  /** Differences that were found and not yet mended, by their identity. */
  readonly open: ReadonlyMap<string, FollowedDifference>;
  /** How often each difference was found anew, by its identity. */
  readonly times: ReadonlyMap<string, number>;
}

/** The rules of comparisons: two that began apart are two facts; a difference is found once until it is mended. */
export const comparison: Decider<ComparisonCommand, ComparisonState, ComparisonEvent> = {
  initialState: { last: undefined, open: new Map(), times: new Map() },
  decide(command, state) {
    switch (command.type) {
      case "RecordComparison": {
        const { at, ...result } = command.data;
        if (state.last?.beganAt === result.beganAt) return accept();
        return accept({ type: "BooksCompared", data: { ...result, comparedAt: at } });
      }
      case "FollowDifferences":
        return follow(command, state);
      default:
        return assertNever(command);
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case "BooksCompared":
        return { ...state, last: event.data };
      case "CriticalDifferencesChanged": {
        const { found, mended } = event.data;
        const open = new Map(state.open);
        const times = new Map(state.times);
        for (const one of mended) open.delete(identityOfDifference(one));
        for (const one of found) {
          const identity = identityOfDifference(one);
          open.set(identity, one);
          times.set(identity, (times.get(identity) ?? 0) + 1);
        }
        return { ...state, open, times };
      }
      default:
        return assertNever(event);
    }
  },
};

function follow({ data }: FollowDifferences, { open, times }: ComparisonState): Decision<ComparisonEvent> {
  const found = data.found
    .filter((one) => !open.has(identityOfDifference(one)))
    .map(({ kind, resource }) => {
      const before = times.get(identityOfDifference({ kind, resource })) ?? 0;
      return { kind, resource, cause: causeOfDifference({ kind, resource }, before + 1) };
    });
  const mended = data.mended
    .map((one) => open.get(identityOfDifference(one)))
    .filter((one) => one !== undefined);
  if (found.length + mended.length === 0) return accept();
  return accept({
    type: "CriticalDifferencesChanged",
    data: { part: data.part, found, mended, changedAt: data.at },
  });
}

/**
 * When the next comparison is due: so long after the last one. One that was recorded under a clock that was ahead holds nothing up.
 * @param everyMs milliseconds. @returns `now` where it is due.
 */
export function nextComparisonAt(last: Comparison | undefined, everyMs: number, now: string): string {
  if (last === undefined || last.comparedAt > now) return now;
  const due = addMilliseconds(last.comparedAt, everyMs);
  return due > now ? due : now;
}

/** What a difference is told by, whatever else is said of it. */
export interface DifferenceIdentity {
  readonly kind: string;
  readonly resource: string;
}

/** The identity as a text. */
export function identityOfDifference({ kind, resource }: DifferenceIdentity): string {
  return `${kind} ${resource}`;
}

const causePrefix = "drift-";

/**
 * What the ticket of a difference is opened for.
 * @param time 1 when it is found for the first time, 2 when it is found again after it was mended.
 */
export function causeOfDifference({ kind, resource }: DifferenceIdentity, time: number): string {
  return `${causePrefix}${time === 1 ? "" : `${String(time)}-`}${kind}-${resource}`;
}

/** True where a difference is what the ticket was opened for. */
export function isCauseOfDifference(cause: string): boolean {
  return cause.startsWith(causePrefix);
}
