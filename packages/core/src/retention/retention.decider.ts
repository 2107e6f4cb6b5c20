import { dayOf, isDay } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import type { RetentionEvent } from "./retention.events.ts";

export interface LegalHold {
  readonly accountId: number;
  readonly reason: string;
  /** Last day (UTC); null until staff release it. */
  readonly until: string | null;
  readonly placedAt: string;
}

export interface RetentionState {
  /** Latest year whose documents are no longer kept; 0 before the first. */
  readonly endedYear: number;
  /** Holds that staff have not released, by account. */
  readonly holds: ReadonlyMap<number, LegalHold>;
}

/** Keeps an account's documents beyond their term. */
export type PlaceLegalHold = Command<
  "PlaceLegalHold",
  { readonly accountId: number; readonly reason: string; readonly until: string | null }
>;

export type ReleaseLegalHold = Command<
  "ReleaseLegalHold",
  { readonly accountId: number; readonly reason: string }
>;

/** Ends the terms of all years that are over. */
export type EndRetention = Command<"EndRetention">;

export type RetentionCommand = PlaceLegalHold | ReleaseLegalHold | EndRetention;

/** Maximum accounts under a hold. */
export const legalHoldLimit = 10_000;

/** Rules of the law's terms for documents (stream `retention-all`). */
export const retention: Decider<RetentionCommand, RetentionState, RetentionEvent> = {
  initialState: { endedYear: 0, holds: new Map() },
  decide,
  evolve,
};

/**
 * Returns the latest year that is over everywhere on Earth: it ends a day later than in UTC, whatever the seller's time zone is.
 * @param at ISO 8601 UTC.
 */
export function lastYearOver(at: string): number {
  const dayBefore = new Date(`${dayOf(at)}T00:00:00Z`);
  dayBefore.setUTCDate(dayBefore.getUTCDate() - 1);
  return dayBefore.getUTCFullYear() - 1;
}

/** Returns true while a hold keeps documents. @param at ISO 8601 UTC; undefined if the time is not certain: then no hold has expired. */
export function isHoldInForce({ until }: Pick<LegalHold, "until">, at: string | undefined): boolean {
  return until === null || at === undefined || dayOf(at) <= until;
}

function decide(command: RetentionCommand, state: RetentionState): Decision<RetentionEvent> {
  switch (command.type) {
    case "PlaceLegalHold":
      return placeHold(command, state);
    case "ReleaseLegalHold": {
      const { accountId, reason, at } = command.data;
      if (!state.holds.has(accountId)) return accept();
      return accept({ type: "LegalHoldReleased", data: { accountId, reason, releasedAt: at } });
    }
    case "EndRetention": {
      const { at } = command.data;
      const year = lastYearOver(at);
      if (year <= state.endedYear) return accept();
      return accept({ type: "RetentionEnded", data: { year, endedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function placeHold({ data }: PlaceLegalHold, { holds }: RetentionState): Decision<RetentionEvent> {
  const { accountId, reason, until, at } = data;
  if (until !== null && (!isDay(until) || until < dayOf(at)))
    return reject("validation-failed", `The last day of the hold cannot be ${until}.`, {
      fieldErrors: { until: ["must be a day that is not over, such as 2030-12-31"] },
    });
  const known = holds.get(accountId);
  if (known?.reason === reason && known.until === until) return accept();
  if (known === undefined && holds.size >= legalHoldLimit)
    return reject("validation-failed", "There are too many holds: release one first.", {
      fieldErrors: { account_id: [`at most ${String(legalHoldLimit)} accounts can be under a hold`] },
    });
  return accept({ type: "LegalHoldPlaced", data: { accountId, reason, until, placedAt: at } });
}

function evolve(state: RetentionState, event: RetentionEvent): RetentionState {
  switch (event.type) {
    case "LegalHoldPlaced":
      return { ...state, holds: new Map(state.holds).set(event.data.accountId, event.data) };
    case "LegalHoldReleased": {
      const holds = new Map(state.holds);
      if (!holds.delete(event.data.accountId)) throw new CorruptStreamError(event.type, "no hold");
      return { ...state, holds };
    }
    case "RetentionEnded":
      if (event.data.year <= state.endedYear)
        throw new CorruptStreamError(event.type, `the end of ${String(state.endedYear)}`);
      return { ...state, endedYear: event.data.year };
    default:
      return assertNever(event);
  }
}
