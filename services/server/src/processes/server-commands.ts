import { assertNever, type Rejection, type ServerAccountOrder, type ServerCharge } from "@hostledger/core";
import type { RunContext } from "@hostledger/process-manager";
import { rejectionOf, type AccountClient } from "@hostledger/rpc";

/** What came of a command to the account's service. */
export type AccountAnswer =
  | { readonly type: "charged"; readonly charge: ServerCharge }
  | { readonly type: "refunded"; readonly correctionId: number }
  | { readonly type: "rejected"; readonly rejection: Rejection };

/** These say that the service could not be asked, not what it decided: the step is repeated. */
const notAnswered: ReadonlySet<string> = new Set([
  "internal",
  "overloaded",
  "temporarily-unavailable",
  "rate-limited",
  "deadline-exceeded",
  "unauthenticated",
]);

/** Charges or refunds through the account's service. @throws anything that is not the account's own refusal. */
export async function sendToAccount(
  accounts: AccountClient,
  order: ServerAccountOrder,
  context: RunContext,
): Promise<AccountAnswer> {
  try {
    switch (order.type) {
      case "ChargeBalance":
        return { type: "charged", charge: await charge(accounts, order, context) };
      case "RefundCharge": {
        const { accountId, chargeId, reason } = order;
        const { correctionId } = await accounts.rpc.refundCharge(
          { accountId: BigInt(accountId), chargeId, reason },
          accounts.callOptions(context),
        );
        return { type: "refunded", correctionId: Number(correctionId) };
      }
      default:
        return assertNever(order);
    }
  } catch (error) {
    const rejection = rejectionOf(error);
    if (notAnswered.has(rejection.code)) throw error;
    return { type: "rejected", rejection };
  }
}

async function charge(
  accounts: AccountClient,
  order: Extract<ServerAccountOrder, { type: "ChargeBalance" }>,
  context: RunContext,
): Promise<ServerCharge> {
  const { type: _type, accountId, chargeId, serverId, planId, lines, ...rest } = order;
  const { invoiceId, grossCents } = await accounts.rpc.chargeBalance(
    {
      accountId: BigInt(accountId),
      chargeId,
      serverId: BigInt(serverId),
      planId: BigInt(planId),
      lines: [...lines],
      ...rest,
    },
    accounts.callOptions(context),
  );
  return { chargeId, invoiceId: Number(invoiceId), grossCents: String(grossCents) };
}
