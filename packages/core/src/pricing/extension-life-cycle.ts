import { laterThan } from "../calendar/calendar.ts";

/** Phases of an expired name in days (RFC 3915 §3.1): normal renewal, restoration only, pending deletion. */
export interface ExtensionLifeCycle {
  readonly graceDays: number;
  readonly redemptionDays: number;
  readonly pendingDeleteDays: number;
}

export const genericLifeCycle: ExtensionLifeCycle = {
  graceDays: 45,
  redemptionDays: 30,
  pendingDeleteDays: 5,
};

/** Other life cycles, from DENIC ("Redemption Grace Period"), EURid and SIDN (40 days) and Nominet (90 days). */
const lifeCycles: ReadonlyMap<string, ExtensionLifeCycle> = new Map([
  ["de", { graceDays: 0, redemptionDays: 30, pendingDeleteDays: 0 }],
  ["eu", { graceDays: 0, redemptionDays: 40, pendingDeleteDays: 0 }],
  ["nl", { graceDays: 0, redemptionDays: 40, pendingDeleteDays: 0 }],
  ["uk", { graceDays: 90, redemptionDays: 0, pendingDeleteDays: 0 }],
]);

/** Returns the default life cycle of an extension, before staff set another. @param tld lower case, without a dot */
export function usualLifeCycle(tld: string): ExtensionLifeCycle {
  return lifeCycles.get(tld) ?? genericLifeCycle;
}

export const longestLifeCycleDays = 365;

/** Dates of an expired name's phases. */
export interface LifeCycleDates {
  /** End of renewal at the normal price; from then on, the name is out of the DNS and can only be restored. */
  readonly holdBeginsAt: string;
  readonly pendingDeleteBeginsAt: string;
  /** Deletion of the name; from then on, anybody may register it. */
  readonly deletesAt: string;
}

const dayMs = 86_400_000;

/** Returns the dates that follow from an expiry date. */
export function lifeCycleDates(
  expiresAt: string,
  { graceDays, redemptionDays, pendingDeleteDays }: ExtensionLifeCycle,
): LifeCycleDates {
  const later = laterThan(expiresAt);
  return {
    holdBeginsAt: later(graceDays * dayMs),
    pendingDeleteBeginsAt: later((graceDays + redemptionDays) * dayMs),
    deletesAt: later((graceDays + redemptionDays + pendingDeleteDays) * dayMs),
  };
}
