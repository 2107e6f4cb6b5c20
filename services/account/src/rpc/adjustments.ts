import type { ServiceImpl } from "@connectrpc/connect";
import {
  adjustmentKey,
  maximumCents,
  parseLine,
  parseName,
  parseStaffReason,
  parsed,
  rejection,
  unparsable,
  type BalanceAdjusted,
  type OpenAccountState,
  type Parsed,
} from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import type { admin } from "@hostledger/protocol";
import {
  rejectionError,
  requestedId,
  requireStaff,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount, refuseBefore } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { refuseTaken, taking } from "../references.ts";
import { requireApproval, type MoneyRequest } from "./approvals.ts";

/** Maximum characters of a payment's or adjustment's reference. */
export const maximumReferenceLength = 200;

/** Creates the staff's handlers that adjust balances. */
export function adjustmentHandlers(
  dependencies: AccountDependencies,
): Pick<ServiceImpl<typeof admin.AccountAdminService>, "adjustBalance" | "reverseTopUp"> {
  return {
    async adjustBalance(request, context) {
      const staff = requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const kind = request.amountCents > 0n ? "credit" : "debit";
      const asked = validated({
        amountCents: parseAmount(kind === "credit" ? request.amountCents : -request.amountCents),
        reference: parseName(request.reference, maximumReferenceLength),
        reason: parseStaffReason(request.reason),
      });
      if (request.allowDebt && kind === "credit") throw noDebt();
      const requested = { accountId, kind, ...asked, debtAllowed: request.allowDebt } as const;
      await refuseTaken(dependencies, requested);
      const { account } = await findAccount(dependencies, accountId);
      // Checked first: repeats and rejected adjustments need no approval.
      if (!isAdjusted(account, requested)) await requireApproval(dependencies, staff, requested, context);
      return adjust(dependencies, requested, context);
    },

    async reverseTopUp(request, context) {
      const staff = requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const asked = validated({
        reference: parseLine(request.reference, maximumReferenceLength),
        reason: parseStaffReason(request.reason),
      });
      const { account } = await findAccount(dependencies, accountId);
      const credit = account.credits.get(asked.reference);
      if (credit === undefined)
        throw rejectionError(rejection("not-found", "The account has no top-up with this reference."));
      const { amountCents } = credit;
      const debtAllowed = request.allowDebt;
      const requested = { accountId, kind: "top-up-reversed", amountCents, ...asked, debtAllowed } as const;
      if (!isAdjusted(account, requested)) await requireApproval(dependencies, staff, requested, context);
      return adjust(dependencies, requested, context);
    },
  };
}

/** Adjusts a balance; a repeated reference of one kind adjusts once. @throws ConnectError for a rejection. */
export async function adjust(
  dependencies: AccountDependencies,
  { accountId, kind, amountCents, reference, reason, debtAllowed }: MoneyRequest,
  context: WithContextValues,
): Promise<{ readonly balanceCents: bigint; readonly repeated: boolean }> {
  if (kind !== "credit" && kind !== "debit" && kind !== "top-up-reversed")
    throw new Error(`a ${kind} is no adjustment`);
  const { accounts, clock, projector } = dependencies;
  const at = clock.now();
  const isReversal = kind === "top-up-reversed";
  const reversed = { reference, reason, debtAllowed, at };
  if (isReversal)
    await refuseBefore(dependencies, accountId, {
      type: "ReverseTopUp",
      data: { ...reversed, correctionId: unusedId },
    });
  const asCommand = commandContext(context, `${kind}/${reference}`);
  const { account, position, events } = await commandAccount(
    dependencies,
    accountId,
    isReversal
      ? {
          type: "ReverseTopUp",
          data: { ...reversed, correctionId: await accounts.invoiceIds.next() },
        }
      : { type: "AdjustBalance", data: { kind, reference, amountCents, reason, debtAllowed, at } },
    isReversal ? asCommand : taking(dependencies, { kind, reference, accountId }, asCommand),
  );
  await projector.after(position);
  return { balanceCents: account.balanceCents, repeated: events.length === 0 };
}

/** Returns true if the account has an adjustment of this kind and reference. */
function isAdjusted(
  { adjustments }: OpenAccountState,
  { kind, reference }: { readonly kind: BalanceAdjusted["data"]["kind"]; readonly reference: string },
): boolean {
  return adjustments.has(adjustmentKey(kind, reference));
}

/** Refuses `allow_debt` for a credit, which suggests a wrong sign. */
function noDebt(): Error {
  const fieldErrors = { allow_debt: ["is for debits only"] };
  return rejectionError(rejection("validation-failed", "Only a debit may allow a debt.", { fieldErrors }));
}

/** Parses the amount of one staff posting, in cents (EUR). */
export function parseAmount(cents: bigint): Parsed<bigint> {
  return cents > 0n && cents <= maximumCents
    ? parsed(cents)
    : unparsable("must be above zero and at most one billion euros");
}
