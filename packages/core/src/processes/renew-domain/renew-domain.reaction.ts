import type { RenewalFailure } from "../../domain/domain.events.ts";
import { assertNever } from "../../kernel/assert-never.ts";
import type { Reaction } from "../../kernel/process.ts";
import type { RenewalCommand, RenewalRequest } from "./renew-domain.inputs.ts";
import type { Renewal, RenewalFailed, RenewalState } from "./renew-domain.state.ts";

type RenewalReaction = Reaction<RenewalCommand, RenewalRequest>;

/** What a renewal run does next: one line of the plan for each step. */
export function react(state: RenewalState): RenewalReaction {
  if (state.status === "new") return { kind: "complete" };
  const { renewalId, accountId, name, years, expiresAt: currentExpiresAt } = state.renewal;
  switch (state.status) {
    case "charging":
      return charge(state.renewal);
    case "ordering":
      return {
        kind: "call",
        request: { type: "renew", clientTransactionId: renewalId, name, currentExpiresAt, years },
      };
    case "inquiring": {
      const { notBefore } = state;
      const request = { type: "inquire", name } as const;
      return { kind: "call", request, ...(notBefore === undefined ? {} : { notBefore }) };
    }
    case "confirming": {
      const data = { renewalId, ...state.charge, expiresAt: state.expiresAt };
      // Not merely sent: once the name says that it is renewed, no later owner of the run may ask the registrar again,
      // hear another answer, and return the money.
      return { kind: "compensate", command: { to: "name", name, order: { type: "RecordRenewed", data } } };
    }
    case "refunding": {
      const reason = refundReason(state.failure);
      const order = { type: "RefundCharge", accountId, chargeId: renewalId, reason } as const;
      return { kind: "compensate", command: { to: "account", order } };
    }
    case "failing": {
      const data = { renewalId, ...wordsFor(state.failure) };
      // In the same way, the run remembers its failure before the name is free for the next renewal.
      const order = { type: "RecordRenewalFailed", data } as const;
      return { kind: "compensate", command: { to: "name", name, order } };
    }
    case "parked":
      return { kind: "park", reason: state.reason };
    case "completed":
      return { kind: "complete" };
    default:
      return assertNever(state);
  }
}

function charge({ renewalId, accountId, domainId, name, years, yearNetCents }: Renewal): RenewalReaction {
  const order = {
    type: "ChargeRenewal",
    accountId,
    chargeId: renewalId,
    domainId,
    name,
    years,
    yearNetCents,
  } as const;
  return { kind: "send", command: { to: "account", order } };
}

function refundReason(failure: RenewalFailed): string {
  return failure.kind === "charge-refused" ? "Charge refused" : failure.reason;
}

/** The failure as the domain's own stream tells it. */
function wordsFor(failure: RenewalFailed): { reason: RenewalFailure; requiredCents: string | null } {
  if (failure.kind !== "charge-refused") return { reason: failure.kind, requiredCents: null };
  const { code, requiredCents } = failure.refusal;
  return { reason: code === "insufficient-balance" ? code : "charge-refused", requiredCents };
}
