import { rejection, type RejectionCode } from "../../kernel/rejection.ts";
import { processSpec } from "../../testing/process-spec.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";
import { at, order } from "./order-server.fixture.ts";
import type { ServerOrderInput } from "./order-server.inputs.ts";
import { orderServer } from "./order-server.process.ts";
import { react } from "./order-server.reaction.ts";
import type { ServerOrderState } from "./order-server.state.ts";

/** The words in which the specs tell an order's story. */

/** Given these facts of a run, when this input comes, then … */
export const { given } = processSpec(orderServer, react);

const key = { planId: 2, regionId: 3, orderId: "o-1" } as const;
const started = { ...order, startedAt: at };

/** The run takes a unit. */
export const reserveUnit = {
  kind: "begin",
  command: { to: "stock", order: { type: "ReserveStockUnit", data: key } },
} as const;

/** The run gives its unit back. */
export const returnUnit = {
  kind: "compensate",
  command: { to: "stock", order: { type: "ReturnStockUnit", data: key } },
} as const;

/** What the server's stream is told of the order. */
export const placeOrder = {
  to: "server",
  serverId: 5,
  order: {
    type: "OrderServer",
    data: {
      orderId: "o-1",
      serverId: 5,
      accountId: 7,
      planId: 2,
      planTitle: "S",
      regionId: 3,
      distroId: 1,
      distro: "Debian 13",
      months: 3,
      whitelisted: false,
      sshKey: null,
      monthGrossCents: "999",
    },
  },
} as const;

/** The run charges the account. */
export const chargeAccount = {
  kind: "send",
  command: {
    to: "account",
    order: {
      type: "ChargeBalance",
      accountId: 7,
      chargeId: "o-1",
      action: "purchase",
      lines: [{ description: "Server S, 3 months, 9.99 EUR a month", quantity: 1, unitNetCents: 2_997n }],
      pricesIncludeVat: true,
      duration: 3,
      serverId: 5,
      planId: 2,
    },
  },
} as const;

/** The run has the server set up, asks about it, has it destroyed. */
export const provision = { kind: "call", request: { type: "provision", order: started } } as const;
/** The run asks whether there is a server. */
export const inquire = { kind: "call", request: { type: "inquire", order: started } } as const;
/** The run has the server destroyed. */
export const destroy = { kind: "call", request: { type: "destroy", order: started } } as const;

/** The run tells the server's stream that the order failed. */
export function failOrder(reason: string): ReturnType<typeof react> {
  const data = { orderId: "o-1", reason };
  return {
    kind: "compensate",
    command: { to: "server", serverId: 5, order: { type: "RecordOrderFailed", data } },
  };
}

/** The run returns the charge for a reason. */
export function refundFor(reason: string): ReturnType<typeof react> {
  const refund = { type: "RefundCharge", accountId: 7, chargeId: "o-1", reason } as const;
  return { kind: "compensate", command: { to: "account", order: refund } };
}

/** An aggregate refuses. */
export const refuse = (code: RejectionCode): ServerOrderInput => ({
  type: "rejected",
  rejection: rejection(code),
  at,
});

/** The run is over. */
export const completed = (outcome: "provisioned" | "refused" | "failed"): ServerOrderEvent => ({
  type: "ServerOrderCompleted",
  data: { outcome, at },
});

/** The run waits for staff for a reason. */
export const parkedFor = (reason: string): ServerOrderEvent => ({
  type: "ServerOrderParked",
  data: { reason, at },
});

/** The state after a history. */
export function after(...history: readonly ServerOrderEvent[]): ServerOrderState {
  return history.reduce(orderServer.evolve, orderServer.initialState);
}

/** The state after a history and many times the same input: for the limits. */
export function afterMany(
  history: readonly ServerOrderEvent[],
  input: ServerOrderInput,
  times: number,
): ServerOrderState {
  let state = after(...history);
  for (let count = 0; count < times; count += 1) {
    state = orderServer.decide(input, state).reduce(orderServer.evolve, state);
  }
  return state;
}
