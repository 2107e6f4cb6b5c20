import { serverRenewalLines } from "../pricing/server-renewal.ts";
import type { RecordedRenewal, ServerState } from "../server/server.state.ts";
import { serverName } from "../server/server-terms.ts";
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

/** The subject and price of a renewal's run, from its first event. */
export type ServerRenewal = ServerRenewalStarted["data"];

export type ServerRenewalOutcome = Omit<ServerRenewalRecorded["data"], "at">;

/**
 * Renews a server at the price that the server's stream fixed at the beginning:
 *
 *     charge → record → renewed (the work engine starts a suspended server again)
 *       │        └ refused → refund → record the failure
 *       └ declined → record the failure
 *
 * There is no provider: the server's own stream decides whether the server was renewed. If staff end a run, the run
 * checks that stream before it returns the charge.
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
    const { renewalId, serverId, accountId, planId, planTitle, months, hostname, period } = renewal;
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
      supply: period,
      sold: { domain: null, server: serverName(serverId, hostname), plan: planTitle },
    };
  },
  refundOf: "charge",

  fence: {
    // Only a run that staff ended needs the check: a refusal by the server is already final.
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

  events: serverRenewalEvents,
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

/** Returns the amount that the balance lacked, in cents (EUR); null for any other failure. */
function missing(failure: OrderFailure): string | null {
  const isUncovered = failure.kind === "declined" && failure.refusal.code === "insufficient-balance";
  return isUncovered ? failure.refusal.requiredCents : null;
}

/** Returns a reader that finds the renewal in the server's state; undefined if it is not there. */
function outcomeOf(renewalId: string): (state: ServerState) => ServerRenewalOutcome | undefined {
  return (state) => {
    if (!("server" in state)) return undefined;
    const renewal = state.server.renewals.find((one: RecordedRenewal) => one.renewalId === renewalId);
    if (renewal === undefined) return undefined;
    const { chargeId, invoiceId, grossCents, wasSuspended, expiresAt } = renewal;
    return { chargeId, invoiceId, grossCents, wasSuspended, expiresAt };
  };
}
