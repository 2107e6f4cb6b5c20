import { addMilliseconds } from "../calendar/calendar.ts";

const dayMs = 86_400_000;

/** Automatic renewal is tried from so many days before expiry (contract, "Life cycle"). */
export const automaticDays = 7;

/** How the automatic renewals of the present paid time fared. */
export interface AutomaticTries {
  readonly failures: number;
  /** When the last of them failed; null before the first. */
  readonly lastFailureAt: string | null;
}

/**
 * When automatic renewal is tried next: a week before expiry, then a day after each failure while that is before
 * expiry, and once more at the moment of expiry: the balance may have come on the last day. A try that was missed stays due
 * after expiry, until it was made.
 *
 * @returns null when there is no further try at this expiry date.
 */
export function nextAutomaticTryAt(expiresAt: string, lastFailureAt: string | null): string | null {
  if (lastFailureAt === null) return addMilliseconds(expiresAt, -automaticDays * dayMs);
  if (lastFailureAt >= expiresAt) return null;
  const next = addMilliseconds(lastFailureAt, dayMs);
  return next < expiresAt ? next : expiresAt;
}

/** Names a try: one for each at each expiry date, whoever makes it, so that several workers make one. */
export function automaticTryId(prefix: string, expiresAt: string, { failures }: AutomaticTries): string {
  return `${prefix}-${expiresAt.slice(0, 10).replaceAll("-", "")}-${String(failures + 1)}`;
}
