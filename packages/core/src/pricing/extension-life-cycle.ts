import { laterThan } from "../calendar/calendar.ts";

/**
 * How a registry ends a name that nobody renewed, in whole days one after the other (RFC 3915 §3.1): it is still renewed at the
 * normal price, it can only be restored, nothing can be done to it any more. Then anybody may register it.
 */
export interface ExtensionLifeCycle {
  readonly graceDays: number;
  readonly redemptionDays: number;
  readonly pendingDeleteDays: number;
}

/** What generic extensions have. */
export const genericLifeCycle: ExtensionLifeCycle = {
  graceDays: 45,
  redemptionDays: 30,
  pendingDeleteDays: 5,
};

/**
 * Registries of countries that end a name at its expiry: it can be had back for some weeks, and is free from one moment to the next.
 * DENIC: "Redemption Grace Period for .de Domains"; EURid and SIDN: quarantine of 40 days. Nominet renews a name for 90 days more.
 */
const lifeCycles: ReadonlyMap<string, ExtensionLifeCycle> = new Map([
  ["de", { graceDays: 0, redemptionDays: 30, pendingDeleteDays: 0 }],
  ["eu", { graceDays: 0, redemptionDays: 40, pendingDeleteDays: 0 }],
  ["nl", { graceDays: 0, redemptionDays: 40, pendingDeleteDays: 0 }],
  ["uk", { graceDays: 90, redemptionDays: 0, pendingDeleteDays: 0 }],
]);

/** What is known of an extension before anybody says something of it. @param tld lower case, without a dot */
export function usualLifeCycle(tld: string): ExtensionLifeCycle {
  return lifeCycles.get(tld) ?? genericLifeCycle;
}

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
  const later = laterThan(expiresAt);
  return {
    holdBeginsAt: later(graceDays * dayMs),
    pendingDeleteBeginsAt: later((graceDays + redemptionDays) * dayMs),
    deletesAt: later((graceDays + redemptionDays + pendingDeleteDays) * dayMs),
  };
}
