import type { ServerOrderEvent, ServerOrderStarted } from "./order-server.events.ts";
import type { ServerOrderInput } from "./order-server.inputs.ts";
import type { ServerOrderState } from "./order-server.state.ts";

/** Examples of an order's run, for specs: account 7 orders the server 5 for three months in the run o-1. */

export const at = "2026-03-01T10:00:00.000000Z";
/** The first wait of an inquiry after `at`. */
export const soon = "2026-03-01T10:00:00.300000Z";

export const charge = { chargeId: "o-1", invoiceId: 101, grossCents: "2997" } as const;
export const place = { node: "node-1", ipAddress: "192.0.2.5", rdns: "5.servers.hostledger.test" } as const;

export const order = {
  orderId: "o-1",
  serverId: 5,
  accountId: 7,
  planId: 2,
  planTitle: "S",
  cores: 2,
  memoryGb: 4,
  storageGb: 40,
  regionId: 3,
  regionCode: "nbg",
  distroId: 1,
  distro: "Debian 13",
  months: 3,
  whitelisted: false,
  sshKey: null,
  monthGrossCents: "999",
  grossCents: "2997",
} as const;

/** The run's first fact; a gift has no price. */
export function started(grossCents: string | null = order.grossCents): ServerOrderStarted {
  return { type: "ServerOrderStarted", data: { ...order, grossCents, startedAt: at } };
}

const noMoney = {
  code: "insufficient-balance",
  message: "The account balance does not cover the gross price.",
  requiredCents: "2997",
  availableCents: "1000",
} as const;

/** One example of every input. */
export const inputs = {
  ordered: { type: "ordered", order, at },
  charged: { type: "charged", charge, at },
  refunded: { type: "refunded", correctionId: 102, at },
  accepted: { type: "accepted", at },
  rejected: { type: "rejected", rejection: { code: "internal", message: "Internal error." }, at },
  done: { type: "done", at },
  held: { type: "held", place, at },
  "not-held": { type: "not-held", at },
  refused: { type: "refused", reason: "No node has room", at },
  unknown: { type: "unknown", reason: "No answer", at },
  resumed: { type: "resumed", at },
  failed: { type: "failed", reason: "The service is down", at },
  retried: { type: "retried", at },
  abandoned: { type: "abandoned", reason: "The customer called", at },
} as const satisfies {
  readonly [Type in ServerOrderInput["type"]]: Extract<ServerOrderInput, { type: Type }>;
};

/** One example of every fact. */
export const facts = {
  ServerOrderStarted: started(),
  ServerOrderUnitTaken: { type: "ServerOrderUnitTaken", data: { at } },
  ServerOrderRefused: { type: "ServerOrderRefused", data: { ...noMoney, at } },
  ServerOrderPlaced: { type: "ServerOrderPlaced", data: { at } },
  ServerOrderCharged: { type: "ServerOrderCharged", data: { ...charge, at } },
  ComputeOrderCompleted: { type: "ComputeOrderCompleted", data: { ...place, at } },
  ComputeOrderRefused: { type: "ComputeOrderRefused", data: { reason: "No node has room", at } },
  ComputeOutcomeUnknown: {
    type: "ComputeOutcomeUnknown",
    data: { cause: "unanswered", reason: "No answer", at },
  },
  ComputeInquiryFailed: {
    type: "ComputeInquiryFailed",
    data: { reason: "No answer", nextInquiryAt: soon, at },
  },
  ComputeOrderResumed: { type: "ComputeOrderResumed", data: { at } },
  ServerOrderFailureRecorded: { type: "ServerOrderFailureRecorded", data: { at } },
  ServerOrderNeverCharged: { type: "ServerOrderNeverCharged", data: { at } },
  ServerOrderChargeReturned: { type: "ServerOrderChargeReturned", data: { correctionId: 102, at } },
  ComputeDestructionDue: { type: "ComputeDestructionDue", data: { nextAttemptAt: at, at } },
  ComputeServerDestroyed: { type: "ComputeServerDestroyed", data: { at } },
  ServerOrderParked: { type: "ServerOrderParked", data: { reason: "The service is down", at } },
  ServerOrderUnparked: { type: "ServerOrderUnparked", data: { at } },
  ServerOrderAbandoned: { type: "ServerOrderAbandoned", data: { reason: "The customer called", at } },
  ServerOrderCompleted: { type: "ServerOrderCompleted", data: { outcome: "provisioned", at } },
} as const satisfies {
  readonly [Type in ServerOrderEvent["type"]]: Extract<ServerOrderEvent, { type: Type }>;
};

const placing = [facts.ServerOrderStarted, facts.ServerOrderUnitTaken];
const charging = [...placing, facts.ServerOrderPlaced];
const provisioning = [...charging, facts.ServerOrderCharged];
const inquiring = [...provisioning, facts.ComputeOutcomeUnknown];
const recording = [...provisioning, facts.ComputeOrderCompleted];
const failing = [...provisioning, facts.ComputeOrderRefused];
const refunding = [...failing, facts.ServerOrderFailureRecorded];
/** The money goes back while nobody knows whether there is a server. */
export const failingUnsettled: readonly ServerOrderEvent[] = [
  ...inquiring,
  ...Array.from({ length: 3 }, () => facts.ComputeInquiryFailed),
];
const settling = [...failingUnsettled, facts.ServerOrderFailureRecorded, facts.ServerOrderChargeReturned];

/** A history that leads to each status. */
export const histories: Readonly<Record<ServerOrderState["status"], readonly ServerOrderEvent[]>> = {
  new: [],
  reserving: [facts.ServerOrderStarted],
  placing,
  charging,
  provisioning,
  inquiring,
  recording,
  failing,
  refunding,
  settling,
  destroying: [...settling, facts.ComputeDestructionDue],
  returning: [...refunding, facts.ServerOrderChargeReturned],
  parked: [...provisioning, facts.ServerOrderParked],
  completed: [...recording, facts.ServerOrderCompleted],
};
