import { addMilliseconds } from "../calendar/calendar.ts";

const dayMs = 86_400_000;

/** Days before expiry at which automatic renewal is first tried (contract, "Life cycle"). */
export const automaticDays = 7;

/** Failed automatic renewals since the last paid period began. */
export interface AutomaticTries {
  readonly failures: number;
  /** Time of the last failure; null before the first. */
  readonly lastFailureAt: string | null;
}

/**
 * Returns the time of the next automatic renewal. The first is tried seven days before expiry, then one a day after each
 * failure. The last is tried at expiry, because the customer may top up the balance on the last day. A missed renewal stays
 * due after expiry.
 *
 * @returns null if no further renewal is due at this expiry date.
 */
export function nextAutomaticTryAt(expiresAt: string, lastFailureAt: string | null): string | null {
  if (lastFailureAt === null) return addMilliseconds(expiresAt, -automaticDays * dayMs);
  if (lastFailureAt >= expiresAt) return null;
  const next = addMilliseconds(lastFailureAt, dayMs);
  return next < expiresAt ? next : expiresAt;
}

/** Returns an id that depends only on the expiry date and the failures, so that several workers make one renewal. */
export function automaticTryId(prefix: string, expiresAt: string, { failures }: AutomaticTries): string {
  return `${prefix}-${expiresAt.slice(0, 10).replaceAll("-", "")}-${String(failures + 1)}`;
}
