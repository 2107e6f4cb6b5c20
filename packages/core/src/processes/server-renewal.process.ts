import { serverRenewalLines } from "../pricing/server-renewal.ts";
import type { RecordedRenewal, ServerState } from "../server/server.state.ts";
import type { PaidOrderDefinition } from "./paid-order/paid-order.definition.ts";
import type { OrderCommand } from "./paid-order/paid-order.inputs.ts";
import type { OrderFailure } from "./paid-order/paid-order.state.ts";
import { reasonOf } from "./paid-order/paid-order.next-action.ts";
import {
  serverRenewalEvents,
  type ServerRenewalEvent,
  type ServerRenewalRecorded,
  type ServerRenewalStarted,
} from "./server-renewal.events.ts";

/** What the renewal is about and what it costs, as its first fact tells. */
export type ServerRenewal = ServerRenewalStarted["data"];

/** The renewal as the server's stream has it. */
export type ServerRenewalOutcome = Omit<ServerRenewalRecorded["data"], "at">;

/**
 * The renewal of a server, at the price that the server's stream froze when it began:
 *
 *     charge → record → renewed (a server that was suspended is started again by the reconciler)
 *       │        └ refused → refund → tell the server that it failed
 *       └ declined → tell the server that it failed
 *
 * There is no provider: the server's own stream has the last word on whether it was renewed. Staff that ends a run makes
 * it look there before anything is returned.
 */
export const serverRenewal: PaidOrderDefinition<ServerRenewal, ServerRenewalOutcome, ServerRenewalEvent> = {
  name: "server-renewal",
  category: "serverrenewal",
  begins: {
    // Rows name the server by its stream.
    stream: (server) => server,
    by: (event) => (event.type === "ServerRenewalBegun" ? event.data : undefined),
  },
  payer: ({ accountId, renewalId }) => ({ accountId, chargeId: renewalId }),
  charge(renewal) {
    const { renewalId, serverId, accountId, planId, planTitle, months } = renewal;
    const { monthGrossCents, discountPercent, surchargePercent, grossCents } = renewal;
    const priced = {
      months,
      monthGrossCents: BigInt(monthGrossCents),
      discountPercent,
      surchargePercent,
      grossCents: BigInt(grossCents),
    };
    return {
      accountId,
      chargeId: renewalId,
      action: "renewal",
      lines: serverRenewalLines(planTitle, priced),
      pricesIncludeVat: true,
      duration: months,
      domainId: null,
      serverId,
      planId,
    };
  },
  refundOf: "charge",

  fence: {
    // Where the server said no, it has said its last word.
    isNeeded: ({ failure }) => failure.kind === "abandoned",
    command: (renewal, { failure }, at) => fail(renewal, reasonOf(failure), at),
    unknownBy: "not-found",
  },

  confirm({ renewalId, serverId, months }, charge, _held, at) {
    if (charge === null) throw new Error("a renewal is confirmed with its charge");
    const command = { type: "RecordServerRenewed", data: { renewalId, months, ...charge, at } } as const;
    return { to: "server", id: String(serverId), command, found: outcomeOf(renewalId) };
  },
  confirmationRefusedBy: ["not-found", "server-not-active", "validation-failed"],

  release: (renewal, failure, _why, at) => fail(renewal, reasonOf(failure), at, missing(failure)),
  nothingToReleaseBy: ["not-found", "server-not-active"],

  facts: serverRenewalEvents,
};

function fail(
  { renewalId, serverId }: ServerRenewal,
  reason: string,
  at: string,
  requiredCents: string | null = null,
): OrderCommand<ServerRenewalOutcome> {
  const command = {
    type: "RecordServerRenewalFailed",
    data: { renewalId, reason, requiredCents, at },
  } as const;
  return { to: "server", id: String(serverId), command, found: outcomeOf(renewalId) };
}

/** What the balance did not cover, in cents (EUR). */
function missing(failure: OrderFailure): string | null {
  const isUncovered = failure.kind === "declined" && failure.refusal.code === "insufficient-balance";
  return isUncovered ? failure.refusal.requiredCents : null;
}

/** How the renewal stands on the server's stream, if it does. */
function outcomeOf(renewalId: string): (state: ServerState) => ServerRenewalOutcome | undefined {
  return (state) => {
    if (!("server" in state)) return undefined;
    const renewal = state.server.renewals.find((one: RecordedRenewal) => one.renewalId === renewalId);
    if (renewal === undefined) return undefined;
    const { chargeId, invoiceId, grossCents, wasSuspended, expiresAt } = renewal;
    return { chargeId, invoiceId, grossCents, wasSuspended, expiresAt };
  };
}
