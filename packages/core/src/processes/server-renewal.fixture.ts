import { inputsOf, quietMs } from "./paid-order/paid-order.fixture.ts";
import { paidOrder } from "./paid-order/paid-order.ts";
import type { ServerRenewalEvent } from "./server-renewal.events.ts";
import { serverRenewal } from "./server-renewal.process.ts";

/** Examples of a server renewal's run for specs: account 7 renews the suspended server 5 for three months in the run n-1. */

export const at = "2026-03-01T10:00:00.000000Z";
/** Time of the first retry of a resumption after `at`. */
export const soon = "2026-03-01T10:00:01.000000Z";

/** 9.99 × 3 × 0.95 × 1.10 = 31.318…, rounded once. */
export const charge = { chargeId: "n-1", invoiceId: 101, grossCents: "3132" } as const;
export const outcome = {
  ...charge,
  wasSuspended: true,
  expiresAt: "2026-06-01T10:00:00.000000Z",
} as const;

export const renewal = {
  renewalId: "n-1",
  serverId: 5,
  accountId: 7,
  planId: 2,
  planTitle: "S",
  months: 3,
  monthGrossCents: "999",
  discountPercent: 5,
  surchargePercent: 10,
  grossCents: "3132",
  hostname: null,
  period: { from: "2026-03-01T10:00:00.000000Z", until: "2026-06-01T10:00:00.000000Z" },
} as const;

export const subject = { ...renewal, startedAt: at } as const;
export const inputs = {
  ...inputsOf({ subject, charge, held: outcome, at }),
  "accepted, found": { type: "accepted", found: outcome, at },
} as const;
export const process = paidOrder(serverRenewal, { quietMs });

export const events = {
  ServerRenewalStarted: { type: "ServerRenewalStarted", data: { ...renewal, startedAt: at } },
  ServerRenewalCharged: { type: "ServerRenewalCharged", data: { ...charge, at } },
  ServerRenewalChargeRefused: {
    type: "ServerRenewalChargeRefused",
    data: {
      code: "insufficient-balance",
      message: "The account balance does not cover the gross price.",
      requiredCents: "3132",
      availableCents: "1000",
      at,
    },
  },
  ServerRenewalRecorded: { type: "ServerRenewalRecorded", data: { ...outcome, at } },
  ServerRenewalNotRecorded: {
    type: "ServerRenewalNotRecorded",
    data: { code: "not-found", message: "There is no such resource.", at },
  },
  ServerRenewalNeverCharged: { type: "ServerRenewalNeverCharged", data: { at } },
  ServerRenewalChargeReturned: { type: "ServerRenewalChargeReturned", data: { correctionId: 102, at } },
  ServerResumptionFailed: {
    type: "ServerResumptionFailed",
    data: { reason: "No answer", nextAttemptAt: soon, at },
  },
  ServerRenewalParked: { type: "ServerRenewalParked", data: { reason: "The service is down", at } },
  ServerRenewalUnparked: { type: "ServerRenewalUnparked", data: { at } },
  ServerRenewalAbandoned: { type: "ServerRenewalAbandoned", data: { reason: "The customer called", at } },
  ServerRenewalCompleted: { type: "ServerRenewalCompleted", data: { outcome: "renewed", at } },
} as const satisfies {
  readonly [Type in ServerRenewalEvent["type"]]: Extract<ServerRenewalEvent, { type: Type }>;
};

const confirming = [events.ServerRenewalStarted, events.ServerRenewalCharged];
const fencing = [...confirming, events.ServerRenewalParked, events.ServerRenewalAbandoned];
const confirmed = [...confirming, events.ServerRenewalRecorded];

export const histories = {
  new: [],
  charging: [events.ServerRenewalStarted],
  confirming,
  confirmed,
  fencing,
  refunding: [...confirming, events.ServerRenewalNotRecorded],
  releasing: [events.ServerRenewalStarted, events.ServerRenewalChargeRefused],
  suspended: [...confirming, events.ServerRenewalParked],
  ended: [...confirmed, events.ServerRenewalCompleted],
} as const satisfies Readonly<Record<string, readonly ServerRenewalEvent[]>>;

/** Histories of an earlier design, in which starting the server was a step, and the status to which each leads now. */
export const earlierHistories = {
  resuming: { history: [...confirmed, events.ServerResumptionFailed], status: "confirmed" },
  suspendedResuming: {
    history: [...confirmed, events.ServerResumptionFailed, events.ServerRenewalParked],
    status: "suspended",
  },
  refusedAndNeverCharged: {
    history: [
      events.ServerRenewalStarted,
      events.ServerRenewalChargeRefused,
      events.ServerRenewalNeverCharged,
      { type: "ServerRenewalCompleted", data: { outcome: "refused", at } },
    ],
    status: "ended",
  },
  withdrawn: {
    history: [
      ...fencing,
      { type: "ServerRenewalNotRecorded", data: { code: null, message: "The customer called", at } },
      events.ServerRenewalChargeReturned,
      { type: "ServerRenewalCompleted", data: { outcome: "refunded", at } },
    ],
    status: "ended",
  },
  recordedAfterAll: { history: [...fencing, events.ServerRenewalRecorded], status: "confirmed" },
} as const;
