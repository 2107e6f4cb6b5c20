import type { ServerRenewalEvent } from "./renew-server.events.ts";
import type { ServerRenewalInput } from "./renew-server.inputs.ts";
import type { ServerRenewalState } from "./renew-server.state.ts";

/** Examples of a renewal's run, for specs: account 7 renews the suspended server 5 for three months in the run n-1. */

export const at = "2026-03-01T10:00:00.000000Z";
/** The first wait of a resumption after `at`. */
export const soon = "2026-03-01T10:00:01.000000Z";

/** 9.99 × 3 × 0.95 × 1.10 = 31.318…, rounded once. */
export const charge = { chargeId: "n-1", invoiceId: 101, grossCents: "3132" } as const;
export const outcome = {
  ...charge,
  wasSuspended: true,
  expiresAt: "2026-06-01T10:00:00.000000Z",
} as const;
/** The outcome of a server that was running. */
export const outcomeRunning = { ...outcome, wasSuspended: false } as const;

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
} as const;

/** One example of every input. */
export const inputs = {
  requested: { type: "requested", renewal, at },
  charged: { type: "charged", charge, at },
  refunded: { type: "refunded", correctionId: 102, at },
  renewed: { type: "renewed", outcome, at },
  "not-renewed": { type: "not-renewed", at },
  rejected: { type: "rejected", rejection: { code: "internal", message: "Internal error." }, at },
  done: { type: "done", at },
  refused: { type: "refused", reason: "The node is down", at },
  unknown: { type: "unknown", reason: "No answer", at },
  resumed: { type: "resumed", at },
  failed: { type: "failed", reason: "The service is down", at },
  retried: { type: "retried", at },
  abandoned: { type: "abandoned", reason: "The customer called", at },
} as const satisfies {
  readonly [Type in ServerRenewalInput["type"]]: Extract<ServerRenewalInput, { type: Type }>;
};

/** One example of every fact. */
export const facts = {
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

const charging = [facts.ServerRenewalStarted];
const recording = [...charging, facts.ServerRenewalCharged];
const resuming = [...recording, facts.ServerRenewalRecorded];

/** A history that leads to each status. */
export const histories: Readonly<Record<ServerRenewalState["status"], readonly ServerRenewalEvent[]>> = {
  new: [],
  charging,
  recording,
  withdrawing: [...recording, facts.ServerRenewalParked, facts.ServerRenewalAbandoned],
  refunding: [...recording, facts.ServerRenewalNotRecorded],
  resuming,
  ending: [...resuming, facts.ServerRenewalParked, facts.ServerRenewalAbandoned],
  parked: [...recording, facts.ServerRenewalParked],
  completed: [...resuming, facts.ServerRenewalCompleted],
};
