import { assertNever } from "../../kernel/assert-never.ts";
import type { Beginning, Reaction } from "../../kernel/process.ts";
import { serverRenewalLines } from "../../pricing/server-renewal.ts";
import type { ServerRenewalCommand, ServerRenewalRequest } from "./renew-server.inputs.ts";
import type { ServerRenewal, ServerRenewalState } from "./renew-server.state.ts";

/** What the run of a renewal does next. */
export type ServerRenewalReaction =
  Reaction<ServerRenewalCommand, ServerRenewalRequest> | Beginning<ServerRenewalCommand>;

/** What the run of a renewal does next: one line of the plan for each step. */
export function react(state: ServerRenewalState): ServerRenewalReaction {
  if (state.status === "new") return { kind: "complete" };
  const { renewal } = state;
  const { renewalId, serverId, accountId, months } = renewal;
  switch (state.status) {
    case "charging":
      // The price is stored before it is charged: nothing but this run tells of the renewal yet.
      return { kind: "begin", command: charge(renewal) };
    case "recording": {
      const data = { renewalId, months, ...state.charge };
      return {
        kind: "send",
        command: { to: "server", serverId, order: { type: "RecordServerRenewed", data } },
      };
    }
    case "withdrawing": {
      const order = { type: "FindRenewal", data: { renewalId } } as const;
      return { kind: "compensate", command: { to: "server", serverId, order } };
    }
    case "refunding": {
      const { failure } = state;
      const reason = failure.kind === "charge-refused" ? failure.refusal.message : failure.message;
      const order = { type: "RefundCharge", accountId, chargeId: renewalId, reason } as const;
      return { kind: "compensate", command: { to: "account", order } };
    }
    case "resuming": {
      const { notBefore } = state;
      const request = { type: "resume", serverId } as const;
      return { kind: "call", request, ...(notBefore === undefined ? {} : { notBefore }) };
    }
    case "parked":
      return { kind: "park", reason: state.reason };
    case "ending":
    case "completed":
      return { kind: "complete" };
    default:
      return assertNever(state);
  }
}

function charge(renewal: ServerRenewal): ServerRenewalCommand {
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
    to: "account",
    order: {
      type: "ChargeBalance",
      accountId,
      chargeId: renewalId,
      action: "renewal",
      lines: serverRenewalLines(planTitle, priced),
      pricesIncludeVat: true,
      duration: months,
      serverId,
      planId,
    },
  };
}
