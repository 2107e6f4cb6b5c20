import type { ServerOrderEvent, ServerOrderStarted } from "./server-order.events.ts";
import { inputsOf, quietMs } from "./paid-order/paid-order.fixture.ts";
import { paidOrder } from "./paid-order/paid-order.ts";
import { serverOrder } from "./server-order.process.ts";

/** Examples of a server order's run for specs: account 7 orders server 5 for three months in the run o-1. */

export const at = "2026-03-01T10:00:00.000000Z";
/** Time of the first retry of an inquiry after `at`. */
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

/** Returns the run's first event; a gift has no price. */
export function started(grossCents: string | null = order.grossCents): ServerOrderStarted {
  return { type: "ServerOrderStarted", data: { ...order, grossCents, startedAt: at } };
}

const noMoney = {
  code: "insufficient-balance",
  message: "The account balance does not cover the gross price.",
  requiredCents: "2997",
  availableCents: "1000",
} as const;

export const subject = started().data;
export const inputs = inputsOf({ subject, charge, held: place, at });
export const process = paidOrder(serverOrder, { quietMs });

export const events = {
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
  ComputeOrderNotHeld: {
    type: "ComputeOrderNotHeld",
    data: { askAgainAt: "2026-03-01T10:00:10.000000Z", at },
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

const placing = [events.ServerOrderStarted, events.ServerOrderUnitTaken];
const charging = [...placing, events.ServerOrderPlaced];
const ordering = [...charging, events.ServerOrderCharged];
const asking = [...ordering, events.ComputeOutcomeUnknown];
const confirming = [...ordering, events.ComputeOrderCompleted];
const fencing = [...ordering, events.ComputeOrderRefused];
const refunding = [...fencing, events.ServerOrderFailureRecorded];
const fencingUnsettled = [...asking, events.ComputeOrderNotHeld];
const settling = [...fencingUnsettled, events.ServerOrderFailureRecorded, events.ServerOrderChargeReturned];

export const histories = {
  new: [],
  preparing: [events.ServerOrderStarted],
  charging,
  ordering,
  asking,
  confirming,
  fencing,
  refunding,
  settling,
  cancelling: [...settling, events.ComputeDestructionDue],
  releasing: [...refunding, events.ServerOrderChargeReturned],
  suspended: [...ordering, events.ServerOrderParked],
  ended: [...confirming, events.ServerOrderCompleted],
} as const satisfies Readonly<Record<string, readonly ServerOrderEvent[]>>;

const silent = [...asking, ...Array.from({ length: 3 }, () => events.ComputeInquiryFailed)];

/** Histories of an earlier design, and the status to which each leads now. */
export const earlierHistories = {
  failingUnsettled: { history: silent, status: "fencing" },
  settling: {
    history: [...silent, events.ServerOrderFailureRecorded, events.ServerOrderChargeReturned],
    status: "settling",
  },
  failingAfterOneNotHeld: { history: [...asking, events.ComputeOrderRefused], status: "fencing" },
} as const;
