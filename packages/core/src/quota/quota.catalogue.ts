/** Quotas of an account: `a day` counts until midnight UTC, `standing` until the resource ends. See docs/adr/0048. */
export const quotaCatalogue = {
  open_tickets: {
    counts: "standing",
    standard: 100,
    unit: "tickets of the account that are open",
    /** Seconds that a refused client waits; a guess, because a ticket may be closed at any time. */
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
    unit: "changes of the profile, nameservers, domain settings, DNS records, firewalls, host names, servers' settings, webhooks and choices of notices; API keys and webhooks that are made, each counted twice; payments that customers begin, and orders whose money goes back, each counted five times",
  },
  domains_in_flight: {
    counts: "standing",
    standard: 2_000,
    unit: "registrations and transfers of domains that have not ended",
    retryAfterSeconds: 60,
  },
} as const;

export type QuotaName = keyof typeof quotaCatalogue;

export const dailyQuotas = ["ticket_bytes_a_day", "free_writes_a_day"] as const;

export type DailyQuota = (typeof dailyQuotas)[number];

/** A quota whose use counts until its resource ends. */
export type StandingQuota = Exclude<QuotaName, DailyQuota>;

export const quotaNames = ["open_tickets", ...dailyQuotas, "domains_in_flight"] as const;

/** Maximum value that staff can set; every JSON reader represents it exactly. */
export const maximumQuota = 1_000_000_000_000;

/** Minimum bytes counted for a ticket or a comment, because its events take that space at any length. */
const leastTicketBytes = 1_024;

/** Returns the use of `ticket_bytes_a_day` by a ticket or comment. @param textBytes UTF-8 bytes of its texts. */
export function ticketBytes(textBytes: number): number {
  return Math.max(leastTicketBytes, textBytes);
}

export function isQuotaName(text: string): text is QuotaName {
  return Object.hasOwn(quotaCatalogue, text);
}
