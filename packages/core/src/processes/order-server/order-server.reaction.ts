import { assertNever } from "../../kernel/assert-never.ts";
import type { Beginning, Reaction } from "../../kernel/process.ts";
import { quoteServerOrder, serverOrderLines } from "../../pricing/server-renewal.ts";
import type { ServerOrderCommand, ServerOrderRequest, ServerStreamOrder } from "./order-server.inputs.ts";
import type {
  ComputeAttempts,
  ServerOrder,
  ServerOrderFailure,
  ServerOrderState,
} from "./order-server.state.ts";

/** What the run of an order does next. */
export type ServerOrderReaction =
  Reaction<ServerOrderCommand, ServerOrderRequest> | Beginning<ServerOrderCommand>;

/** What the run of an order does next: one line of the plan for each step. */
export function react(state: ServerOrderState): ServerOrderReaction {
  if (state.status === "new") return { kind: "complete" };
  const { order } = state;
  const { orderId, planId, regionId } = order;
  switch (state.status) {
    case "reserving":
      return {
        kind: "begin",
        command: {
          to: "stock",
          order: { type: "ReserveStockUnit", data: { planId, regionId, orderId } },
        },
      };
    case "placing":
      // A gift takes no unit: then this is the run's first command.
      return { kind: order.grossCents === null ? "begin" : "send", command: place(order) };
    case "charging":
      return { kind: "send", command: charge(order) };
    case "provisioning":
      return call({ type: "provision", order });
    case "inquiring":
    case "settling":
      return call({ type: "inquire", order }, state);
    case "recording": {
      const chargeId = state.charge?.chargeId ?? null;
      const invoiceId = state.charge?.invoiceId ?? null;
      const data = { orderId, ...state.place, chargeId, invoiceId };
      return { kind: "send", command: toServer(order, { type: "RecordProvisioned", data }) };
    }
    case "failing": {
      const data = { orderId, reason: reasonOf(state.failure) };
      return { kind: "compensate", command: toServer(order, { type: "RecordOrderFailed", data }) };
    }
    case "refunding": {
      const { accountId } = order;
      const refund = {
        type: "RefundCharge",
        accountId,
        chargeId: orderId,
        reason: reasonOf(state.failure),
      } as const;
      return { kind: "compensate", command: { to: "account", order: refund } };
    }
    case "destroying":
      return call({ type: "destroy", order }, state);
    case "returning":
      return {
        kind: "compensate",
        command: {
          to: "stock",
          order: { type: "ReturnStockUnit", data: { planId, regionId, orderId } },
        },
      };
    case "parked":
      return { kind: "park", reason: state.reason };
    case "completed":
      return { kind: "complete" };
    default:
      return assertNever(state);
  }
}

/** Tells the server's stream what was ordered: all but what only the setting up needs. */
function place(order: ServerOrder): ServerOrderCommand {
  const {
    cores: _cores,
    memoryGb: _memory,
    storageGb: _storage,
    regionCode: _region,
    grossCents: _gross,
    startedAt: _started,
    ...data
  } = order;
  return toServer(order, { type: "OrderServer", data });
}

function charge(order: ServerOrder): ServerOrderCommand {
  const { orderId, accountId, serverId, planId, planTitle, months, monthGrossCents } = order;
  return {
    to: "account",
    order: {
      type: "ChargeBalance",
      accountId,
      chargeId: orderId,
      action: "purchase",
      lines: serverOrderLines(planTitle, quoteServerOrder(BigInt(monthGrossCents), months)),
      pricesIncludeVat: true,
      duration: months,
      serverId,
      planId,
    },
  };
}

function toServer({ serverId }: ServerOrder, order: ServerStreamOrder): ServerOrderCommand {
  return { to: "server", serverId, order };
}

function call(
  request: ServerOrderRequest,
  { notBefore }: Partial<ComputeAttempts> = {},
): ServerOrderReaction {
  return { kind: "call", request, ...(notBefore === undefined ? {} : { notBefore }) };
}

function reasonOf(failure: ServerOrderFailure): string {
  return failure.kind === "refused" ? failure.refusal.message : failure.reason;
}
