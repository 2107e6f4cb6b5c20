/**
 * What one account may use up. A quota `a day` is taken until midnight (UTC), a `standing` one is given back when what it
 * counts is over. Orders are in none but the last: they are paid for.
 */
export const quotaCatalogue = {
  open_tickets: {
    counts: "standing",
    standard: 100,
    unit: "tickets of the account that are open",
    /** Seconds that a refused client waits: nobody knows when a ticket is closed. */
    retryAfterSeconds: 3_600,
  },
  ticket_bytes_a_day: {
    counts: "a day",
    standard: 1_048_576,
    unit: "bytes of tickets and comments, each counted as 1 KiB at least",
  },
  free_writes_a_day: {
    counts: "a day",
    standard: 5_000,
    unit: "changes of the profile, nameservers, domain settings, DNS records, firewalls, host names, servers' settings, webhooks and choices of notices; API keys and webhooks that are made, each counted twice; orders whose money goes back, each counted five times",
  },
  domains_in_flight: {
    counts: "standing",
    standard: 2_000,
    unit: "registrations and transfers of domains that have not ended",
    retryAfterSeconds: 60,
  },
} as const;

/** A quota, as REST and the command line name it. */
export type QuotaName = keyof typeof quotaCatalogue;

/** Those whose use ends with the UTC day. */
export const dailyQuotas = ["ticket_bytes_a_day", "free_writes_a_day"] as const;

/** A quota whose use ends with the UTC day. */
export type DailyQuota = (typeof dailyQuotas)[number];

/** A quota whose use ends with what it counts. */
export type StandingQuota = Exclude<QuotaName, DailyQuota>;

/** All of them, in the order in which they are listed. */
export const quotaNames = ["open_tickets", ...dailyQuotas, "domains_in_flight"] as const;

/** The largest value that staff set: more than any account uses, and a whole number for every reader of JSON. */
export const maximumQuota = 1_000_000_000_000;

/** The least that a ticket or a comment counts, in bytes: its facts take so much however short it is. */
const leastTicketBytes = 1_024;

/** What a ticket or a comment takes of `ticket_bytes_a_day`. @param textBytes UTF-8 bytes of its texts. */
export function ticketBytes(textBytes: number): number {
  return Math.max(leastTicketBytes, textBytes);
}

/** True for the name of a quota. */
export function isQuotaName(text: string): text is QuotaName {
  return Object.hasOwn(quotaCatalogue, text);
}
