import type { DomainRenewalStarted } from "../domain/domain.events.ts";
import { domainRenewal } from "./domain-renewal.process.ts";
import { inputsOf, quietMs } from "./paid-order/paid-order.fixture.ts";
import { paidOrder } from "./paid-order/paid-order.ts";
import type { RenewalEvent } from "./domain-renewal.events.ts";

/** Examples of a renewal run for specs: account 7 renews example.com for two years in the run renewal-1. */

export const at = "2028-02-25T10:00:00.000000Z";
/** Time of the first retry after `at`. */
export const soon = "2028-02-25T10:00:00.300000Z";
export const renewalId = "renewal-1";
export const name = "example.com";
export const before = "2028-03-01T10:00:00.000000Z";
export const after = "2030-03-01T10:00:00.000000Z";

export const charge = { chargeId: renewalId, invoiceId: 102, grossCents: "2856" } as const;

export const renewal: DomainRenewalStarted["data"] = {
  renewalId,
  domainId: 3,
  accountId: 7,
  name,
  years: 2,
  automatic: true,
  expiresAt: before,
  yearNetCents: "1200",
  startedAt: at,
  restoration: false,
};

export const refusal = {
  code: "insufficient-balance",
  message: "The account balance does not cover the gross price.",
  requiredCents: "2856",
  availableCents: "1000",
} as const;

export const held = { expiresAt: after } as const;
export const subject = renewal;
export const inputs = inputsOf({ subject, charge, held, at });
export const process = paidOrder(domainRenewal, { quietMs });

export const events = {
  RenewalRunStarted: { type: "RenewalRunStarted", data: renewal },
  RenewalCharged: { type: "RenewalCharged", data: { ...charge, at } },
  RenewalChargeRefused: { type: "RenewalChargeRefused", data: { ...refusal, at } },
  RenewalOrderCompleted: { type: "RenewalOrderCompleted", data: { expiresAt: after, at } },
  RenewalOrderRefused: { type: "RenewalOrderRefused", data: { reason: "No route", at } },
  RenewalOutcomeUnknown: {
    type: "RenewalOutcomeUnknown",
    data: { cause: "unanswered", reason: "No answer", at },
  },
  RenewalInquiryFailed: {
    type: "RenewalInquiryFailed",
    data: { reason: "No answer", nextInquiryAt: soon, at },
  },
  RenewalOrderNotHeld: {
    type: "RenewalOrderNotHeld",
    data: { askAgainAt: "2028-02-25T10:00:10.000000Z", at },
  },
  RenewalOrderResumed: { type: "RenewalOrderResumed", data: { at } },
  RenewalNeverCharged: { type: "RenewalNeverCharged", data: { at } },
  RenewalChargeReturned: { type: "RenewalChargeReturned", data: { correctionId: 103, at } },
  RenewalParked: { type: "RenewalParked", data: { reason: "The service is down", at } },
  RenewalUnparked: { type: "RenewalUnparked", data: { at } },
  RenewalAbandoned: { type: "RenewalAbandoned", data: { reason: "The customer called", at } },
  RenewalCompleted: { type: "RenewalCompleted", data: { outcome: "renewed", at } },
} as const satisfies { readonly [Type in RenewalEvent["type"]]: Extract<RenewalEvent, { type: Type }> };

const ordering = [events.RenewalRunStarted, events.RenewalCharged];
const asking = [...ordering, events.RenewalOutcomeUnknown];
const confirming = [...ordering, events.RenewalOrderCompleted];

export const histories = {
  new: [],
  charging: [events.RenewalRunStarted],
  ordering,
  asking,
  confirming,
  refunding: [...ordering, events.RenewalOrderRefused],
  releasing: [events.RenewalRunStarted, events.RenewalChargeRefused],
  suspended: [...ordering, events.RenewalParked],
  ended: [...confirming, events.RenewalCompleted],
} as const satisfies Readonly<Record<string, readonly RenewalEvent[]>>;

/** Inquiries before the run waits for staff: three while the customer waits, then for about a day. */
export const inquiryLimit = 1_503;

/** Histories of an earlier design, and the status to which each leads now. */
export const earlierHistories = {
  failingAfterOneNotHeld: {
    history: [...asking, events.RenewalOrderRefused, events.RenewalChargeReturned],
    status: "releasing",
  },
} as const;
