import type { DomainRenewalStarted } from "../../domain/domain.events.ts";
import type { RenewalEvent } from "./renew-domain.events.ts";
import type { RenewalInput } from "./renew-domain.inputs.ts";
import type { RenewalState } from "./renew-domain.state.ts";
import { inquiryLimit } from "./renewal-inquiries.ts";

/** Examples of a renewal run, for specs: account 7 renews example.com for two years in the run renewal-1. */

export const at = "2028-02-25T10:00:00.000000Z";
/** The first wait after `at`. */
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
};

export const refusal = {
  code: "insufficient-balance",
  message: "The account balance does not cover the gross price.",
  requiredCents: "2856",
  availableCents: "1000",
} as const;

/** One example of every input. */
export const inputs = {
  started: { type: "started", renewal, at },
  charged: { type: "charged", charge, at },
  refunded: { type: "refunded", correctionId: 103, at },
  accepted: { type: "accepted", at },
  rejected: { type: "rejected", rejection: { code: "internal", message: "Internal error." }, at },
  held: { type: "held", expiresAt: after, at },
  "not-held": { type: "not-held", at },
  refused: { type: "refused", reason: "Policy", at },
  unreachable: { type: "unreachable", reason: "No route", at },
  unknown: { type: "unknown", reason: "No answer", at },
  resumed: { type: "resumed", at },
  failed: { type: "failed", reason: "The service is down", at },
  retried: { type: "retried", at },
  abandoned: { type: "abandoned", reason: "The customer called", at },
} as const satisfies { readonly [Type in RenewalInput["type"]]: Extract<RenewalInput, { type: Type }> };

/** One example of every fact. */
export const facts = {
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
  RenewalOrderResumed: { type: "RenewalOrderResumed", data: { at } },
  RenewalNeverCharged: { type: "RenewalNeverCharged", data: { at } },
  RenewalChargeReturned: { type: "RenewalChargeReturned", data: { correctionId: 103, at } },
  RenewalParked: { type: "RenewalParked", data: { reason: "The service is down", at } },
  RenewalUnparked: { type: "RenewalUnparked", data: { at } },
  RenewalAbandoned: { type: "RenewalAbandoned", data: { reason: "The customer called", at } },
  RenewalCompleted: { type: "RenewalCompleted", data: { outcome: "renewed", at } },
} as const satisfies { readonly [Type in RenewalEvent["type"]]: Extract<RenewalEvent, { type: Type }> };

const ordering = [facts.RenewalRunStarted, facts.RenewalCharged];
const confirming = [...ordering, facts.RenewalOrderCompleted];

/** A history that leads to each status. */
export const histories: Readonly<Record<RenewalState["status"], readonly RenewalEvent[]>> = {
  new: [],
  charging: [facts.RenewalRunStarted],
  ordering,
  inquiring: [...ordering, facts.RenewalOutcomeUnknown],
  confirming,
  refunding: [...ordering, facts.RenewalOrderRefused],
  failing: [facts.RenewalRunStarted, facts.RenewalChargeRefused],
  parked: [...ordering, facts.RenewalParked],
  completed: [...confirming, facts.RenewalCompleted],
};

/** A run that asked until it was tired. */
export const parkedUnsettled: readonly RenewalEvent[] = [
  ...histories.inquiring,
  ...Array.from({ length: inquiryLimit - 1 }, () => facts.RenewalInquiryFailed),
  facts.RenewalParked,
];
