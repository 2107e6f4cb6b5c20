import type { EventPlace } from "./charge-history.ts";
import type { Difference, ReconciledSides } from "./reconciliation.ts";

/** Adds a difference about a payment. */
export type ReportOutside = (
  sides: ReconciledSides,
  about: {
    readonly accountId?: number | undefined;
    readonly cause: string;
    readonly at?: EventPlace | undefined;
  },
  message: string,
) => void;

/** Maximum differences stored; further ones are counted. */
const differencesMaximum = 1_000;

/** Differences that a reconciliation found. */
export interface Findings {
  readonly add: (difference: Difference) => void;
  readonly kept: readonly Difference[];
  readonly count: () => number;
}

export function findings(): Findings {
  const kept: Difference[] = [];
  let count = 0;
  return {
    add(difference) {
      count += 1;
      if (kept.length < differencesMaximum) kept.push(difference);
    },
    kept,
    count: () => count,
  };
}
