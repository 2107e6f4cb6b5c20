import type { DomainRenewalEvent } from "./domain.events.ts";

/** Examples of a renewal's events, for specs: domain 3, example.com of account 7, for a year. */

const at = "2028-02-25T10:00:00.000000Z";
const expiresAt = "2028-03-01T10:00:00.000000Z";
const renewal = { renewalId: "renewal-3-20280301-1", domainId: 3, accountId: 7 } as const;

export const renewalEvents = {
  DomainRenewalStarted: {
    type: "DomainRenewalStarted",
    data: {
      ...renewal,
      name: "example.com",
      years: 1,
      automatic: true,
      expiresAt,
      yearNetCents: "1200",
      startedAt: at,
      restoration: false,
    },
  },
  DomainRenewed: {
    type: "DomainRenewed",
    data: {
      ...renewal,
      years: 1,
      automatic: true,
      chargeId: renewal.renewalId,
      invoiceId: 102,
      grossCents: "1428",
      previousExpiresAt: expiresAt,
      expiresAt: "2029-03-01T10:00:00.000000Z",
      renewedAt: at,
    },
  },
  LateRenewalAllowed: {
    type: "LateRenewalAllowed",
    data: { domainId: 3, expiresAt: "2028-03-01T10:00:00.000000Z", allowedAt: "2030-06-01T10:00:00.000000Z" },
  },
  DomainRenewalFailed: {
    type: "DomainRenewalFailed",
    data: {
      ...renewal,
      name: "example.com",
      automatic: true,
      reason: "insufficient-balance",
      expiresAt,
      requiredCents: "1428",
      failedAt: at,
    },
  },
  DomainExpired: {
    type: "DomainExpired",
    data: { domainId: 3, accountId: 7, name: "example.com", expiresAt, expiredAt: expiresAt },
  },
} as const satisfies Readonly<Record<DomainRenewalEvent["type"], DomainRenewalEvent>>;
