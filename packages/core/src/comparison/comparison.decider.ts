import { addMilliseconds } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { ComparedPart, Comparison, ComparisonEvent, FollowedDifference } from "./comparison.events.ts";

export type RecordComparison = Command<"RecordComparison", Omit<Comparison, "comparedAt">>;

/** Records critical differences that appeared or disappeared. Critical differences affect money or a domain name. */
export type FollowDifferences = Command<
  "FollowDifferences",
  {
    readonly part: ComparedPart;
    readonly found: readonly DifferenceIdentity[];
    readonly mended: readonly DifferenceIdentity[];
  }
>;

export type ComparisonCommand = RecordComparison | FollowDifferences;

/** The latest comparison of a part of the books, and the open differences. */
export interface ComparisonState {
  readonly last: Comparison | undefined;
  /** Open differences by identity. */
  readonly open: ReadonlyMap<string, FollowedDifference>;
  /** Number of times that each difference appeared, by identity. */
  readonly times: ReadonlyMap<string, number>;
}

/** Rules of comparisons: `beganAt` identifies a comparison, and of two that overlap the first one counts. A difference is recorded once until it is resolved. */
export const comparison: Decider<ComparisonCommand, ComparisonState, ComparisonEvent> = {
  initialState: { last: undefined, open: new Map(), times: new Map() },
  decide(command, state) {
    switch (command.type) {
      case "RecordComparison": {
        const { at, ...result } = command.data;
        if (state.last?.beganAt === result.beganAt || wasMadeMeanwhile(state, command)) return accept();
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

/** True if another process completed a comparison since this one began: one round is one event. */
function wasMadeMeanwhile({ last }: ComparisonState, { data }: RecordComparison): boolean {
  return last !== undefined && last.comparedAt >= data.beganAt && last.comparedAt <= data.at;
}

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
 * Returns the time of the next comparison, or `now` if it is due. Ignores a last comparison in the future, which a wrong
 * clock recorded.
 * @param everyMs milliseconds between comparisons.
 */
export function nextComparisonAt(last: Comparison | undefined, everyMs: number, now: string): string {
  if (last === undefined || last.comparedAt > now) return now;
  const due = addMilliseconds(last.comparedAt, everyMs);
  return due > now ? due : now;
}

/** The fields that identify a difference. */
export interface DifferenceIdentity {
  readonly kind: string;
  readonly resource: string;
}

export function identityOfDifference({ kind, resource }: DifferenceIdentity): string {
  return `${kind} ${resource}`;
}

const causePrefix = "drift-";

/** Returns the cause of a difference's ticket. @param time number of its appearances, this one included. */
export function causeOfDifference({ kind, resource }: DifferenceIdentity, time: number): string {
  return `${causePrefix}${time === 1 ? "" : `${String(time)}-`}${kind}-${resource}`;
}

export function isCauseOfDifference(cause: string): boolean {
  return cause.startsWith(causePrefix);
}
