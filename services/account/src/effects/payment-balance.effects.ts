import { accountAggregate, type AccountCommand, type PaymentEffect } from "@hostledger/core";
import { refusalOf, unusedId, type CommandContext } from "@hostledger/store";
import { endOf, type EffectEnd, type WorkKind } from "@hostledger/work";

import { taking } from "../references.ts";
import { postponed, retry } from "./pauses.ts";
import { contextOf, requestedOf, type PaymentWorkOptions, type WorkedKey } from "./payment-work.ts";

/** Creates effects that change the balance by the amounts paid and taken back. */
export function balanceEffects(
  options: PaymentWorkOptions,
): Pick<WorkKind<WorkedKey, PaymentEffect>["effects"], "credit" | "take-back"> {
  const { accounts, clock } = options;
  return {
    credit: {
      retry,
      carryOut({ settled: { providerReference: reference, amountCents } }, { key, payment }) {
        const { accountId } = requestedOf(payment);
        const context = taking(
          { ...options, commands: accounts.commands },
          { kind: "top-up", reference, accountId },
          contextOf(key, "credit"),
        );
        return moveBalance(options, { accountId, context, step: "credited" }, (invoiceId) => ({
          type: "CreditBalance",
          data: { reference, amountCents, invoiceId, at: clock.now() },
        }));
      },
    },
    "take-back": {
      retry,
      carryOut({ reference, amountCents: onlyCents, reason }, { key, payment }) {
        const { accountId } = requestedOf(payment);
        const context = contextOf(key, "take-back");
        return moveBalance(options, { accountId, context, step: "taken back" }, (correctionId) => ({
          type: "ReverseTopUp",
          // A refund that is debited meanwhile may never be sent: it ends first.
          data: { reference, correctionId, reason, debtAllowed: true, onlyCents, at: clock.now() },
        }));
      },
    },
  };
}

/**
 * Moves the balance for the work engine, and issues the document. A refusal uses no document id, and while the store is an older backup,
 * nothing moves.
 */
export async function moveBalance(
  { accounts, refusesWrites }: Pick<PaymentWorkOptions, "accounts" | "refusesWrites">,
  {
    accountId,
    context,
    step,
  }: { readonly accountId: number; readonly context: CommandContext; readonly step: string },
  commandOf: (documentId: number) => AccountCommand,
): Promise<EffectEnd> {
  if (refusesWrites()) return postponed;
  const refusal = await refusalOf(
    accounts.commands,
    accountAggregate,
    String(accountId),
    commandOf(unusedId),
  );
  if (refusal !== undefined) return { outcome: "failed", reason: refusal.message };
  const command = commandOf(await accounts.invoiceIds.next());
  return endOf(await accounts.execute(accountId, command, context), step);
}
