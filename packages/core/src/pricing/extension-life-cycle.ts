import { addMilliseconds } from "../calendar/calendar.ts";

/**
 * How a registry ends a name that nobody renewed, in whole days one after the other (RFC 3915 §3.1): it is still renewed at the
 * normal price, it can only be restored, nothing can be done to it any more. Then anybody may register it.
 */
export interface ExtensionLifeCycle {
  readonly graceDays: number;
  readonly redemptionDays: number;
  readonly pendingDeleteDays: number;
}

/** What generic extensions have, and every other one of which the price list says nothing. */
export const genericLifeCycle: ExtensionLifeCycle = {
  graceDays: 45,
  redemptionDays: 30,
  pendingDeleteDays: 5,
};

/** No registry gives more days to one part of it. */
export const longestLifeCycleDays = 365;

/** What happens to a name that is not renewed, and when. */
export interface LifeCycleDates {
  /** Up to here it is renewed at the normal price; then it is withheld from the DNS and can only be restored. */
  readonly holdBeginsAt: string;
  /** Up to here it can be restored. */
  readonly pendingDeleteBeginsAt: string;
  /** It is gone, and anybody may register it. */
  readonly deletesAt: string;
}

const dayMs = 86_400_000;

/** The dates that follow from an expiry date. */
export function lifeCycleDates(
  expiresAt: string,
  { graceDays, redemptionDays, pendingDeleteDays }: ExtensionLifeCycle,
): LifeCycleDates {
  const holdBeginsAt = addMilliseconds(expiresAt, graceDays * dayMs);
  const pendingDeleteBeginsAt = addMilliseconds(holdBeginsAt, redemptionDays * dayMs);
  const deletesAt = addMilliseconds(pendingDeleteBeginsAt, pendingDeleteDays * dayMs);
  return { holdBeginsAt, pendingDeleteBeginsAt, deletesAt };
}
