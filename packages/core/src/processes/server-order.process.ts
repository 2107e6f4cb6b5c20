import { periodOf } from "../account/document-terms.ts";
import { quoteServerOrder, serverOrderLines } from "../pricing/server-renewal.ts";
import type { ServerCommand } from "../server/server.commands.ts";
import { serverName } from "../server/server-terms.ts";
import {
  serverOrderEvents,
  type ComputeOrderCompleted,
  type ServerOrderEvent,
  type ServerOrderStarted,
} from "./server-order.events.ts";
import type { PaidOrderDefinition, Preparation } from "./paid-order/paid-order.definition.ts";
import type { OrderCommand } from "./paid-order/paid-order.inputs.ts";
import { reasonOf } from "./paid-order/paid-order.next-action.ts";
import { inquirySchedule, settlementSchedule } from "./retry-schedule.ts";

/** The subject of a server order's run, from its first event. */
export type ServerOrder = ServerOrderStarted["data"];

export type ServerPlace = Omit<ComputeOrderCompleted["data"], "at">;

/**
 * Orders a server. At first only the run's own stream shows the order:
 *
 *     reserve a unit → place → charge → provision → record → provisioned
 *       │                        │        ├ refused ────→ fail → refund → give the unit back
 *       │                        │        └ unanswered → ask ┬ held → record …
 *       │                        │                           └ not held, or silent → fail → refund → ask on → destroy → give back
 *       │                        └ declined → fail → give the unit back
 *       └ out of stock → fail → give back (there is nothing)
 *
 * `place` and `fail` are commands to the server's stream, which decides the final result of the order. A gift by staff
 * takes no unit and is not charged: it begins with `place`, and nothing is returned.
 */
export const serverOrder: PaidOrderDefinition<ServerOrder, ServerPlace, ServerOrderEvent> = {
  name: "server-order",
  category: "serverorder",
  payer: ({ accountId, orderId }) => ({ accountId, chargeId: orderId }),
  prepare: (order, at) => (isGift(order) ? [place(order, at)] : [reserve(order, at), place(order, at)]),
  charge(order) {
    if (isGift(order)) return undefined;
    const { orderId, accountId, serverId, planId, planTitle, months, monthGrossCents, startedAt } = order;
    return {
      accountId,
      chargeId: orderId,
      action: "purchase",
      lines: serverOrderLines(planTitle, quoteServerOrder(BigInt(monthGrossCents), months)),
      pricesIncludeVat: true,
      duration: months,
      domainId: null,
      serverId,
      planId,
      supply: periodOf(startedAt, months),
      sold: { domain: null, server: serverName(serverId), plan: planTitle },
    };
  },
  refundOf: "charge",

  provider: {
    order: (order) => ({ to: "compute", type: "provision", order }),
    inquire: (order) => ({ to: "compute", type: "inquire", order }),
    cancel: (order) => ({ to: "compute", type: "destroy", order }),
    words: {
      notCarriedOut: "The server was not set up",
      silent: "Nobody tells whether the server exists",
      notCancelled: "The server could not be destroyed",
    },
    inquiries: inquirySchedule,
    settlement: settlementSchedule,
  },

  fence: {
    isNeeded: () => true,
    command: (order, { failure }, at) =>
      toServer(order, {
        type: "RecordOrderFailed",
        data: { orderId: order.orderId, reason: reasonOf(failure), at },
      }),
    confirmedBy: "order-completed",
    unknownBy: "order-not-found",
  },

  confirm(order, charge, held, at) {
    if (held === undefined) throw new Error("a server is recorded where it runs");
    const paid = { chargeId: charge?.chargeId ?? null, invoiceId: charge?.invoiceId ?? null };
    const data = { orderId: order.orderId, ...held, ...paid, at };
    return toServer(order, { type: "RecordProvisioned", data });
  },

  release: ({ planId, regionId, orderId }, _failure, _why, at) =>
    toStock({ type: "ReturnStockUnit", data: { planId, regionId, orderId, at } }),

  events: serverOrderEvents,
};

function isGift({ grossCents }: ServerOrder): boolean {
  return grossCents === null;
}

function reserve({ planId, regionId, orderId }: ServerOrder, at: string): Preparation<ServerPlace> {
  const command = toStock({ type: "ReserveStockUnit", data: { planId, regionId, orderId, at } });
  return { event: "ServerOrderUnitTaken", command, declinedBy: "out-of-stock" };
}

/** Makes the command that records the order in the server's stream, without the fields that only the setup needs. */
function place(order: ServerOrder, at: string): Preparation<ServerPlace> {
  const {
    cores: _c,
    memoryGb: _m,
    storageGb: _s,
    regionCode: _r,
    grossCents: _g,
    startedAt: _t,
    ...data
  } = order;
  return {
    event: "ServerOrderPlaced",
    command: toServer(order, { type: "OrderServer", data: { ...data, at } }),
  };
}

function toServer({ serverId }: ServerOrder, command: ServerCommand): OrderCommand<ServerPlace> {
  return { to: "server", id: String(serverId), command };
}

function toStock(
  command: Extract<OrderCommand<ServerPlace>, { to: "stock" }>["command"],
): OrderCommand<ServerPlace> {
  return { to: "stock", id: `${String(command.data.planId)}-${String(command.data.regionId)}`, command };
}
