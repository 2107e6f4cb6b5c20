import { parsed, parseIban, rejection, type OpenAccountState } from "@hostledger/core";
import { rejectionError, requireStaff, validated, type WithContextValues } from "@hostledger/rpc";

import { findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { orderPayout, payersOf } from "./pay-out.ts";

/** Reason of the payout of an account that is to be erased; a second one has a number, because each reason is paid once. */
const settlementReason = "Erasure of the account";

/** The payout of a balance before an erasure. */
export interface SettledBalance {
  /** End-to-end id of the payout. */
  readonly payoutReference: string;
  /** Cents (EUR), above zero. */
  readonly paidOutCents: bigint;
}

/**
 * Debits a payout of the whole balance of an account that is to be erased; its file for the bank is made afterwards.
 * @param iban of the customer; empty for the only bank account that money of the customer came from
 * @returns undefined if there is no balance to pay
 * @throws ConnectError for a rejection, or `approval-required`: then nothing is debited.
 */
export async function payOutBalance(
  dependencies: AccountDependencies,
  { accountId, iban }: { readonly accountId: number; readonly iban: string },
  context: WithContextValues,
): Promise<SettledBalance | undefined> {
  const staff = requireStaff(context);
  const named = validated({ iban: iban === "" ? parsed("") : parseIban(iban) });
  const { account } = await findAccount(dependencies, accountId);
  const { balanceCents: amountCents } = account;
  if (account.erasedAt !== undefined || amountCents <= 0n) return undefined;
  const ordered = await orderPayout(
    dependencies,
    staff,
    {
      accountId,
      kind: "payout",
      reference: "payout",
      debtAllowed: false,
      amountCents,
      iban: named.iban === "" ? await onlyPayer(dependencies, accountId) : named.iban,
      reason: reasonOf(account),
    },
    context,
  );
  return { payoutReference: ordered.reference, paidOutCents: amountCents };
}

/** @throws ConnectError `validation-failed` if money came from no bank account, or from several */
async function onlyPayer(dependencies: AccountDependencies, accountId: number): Promise<string> {
  const [iban, ...others] = await payersOf(dependencies, accountId);
  if (iban !== undefined && others.length === 0) return iban;
  const from = iban === undefined ? "no bank account" : `${String(others.length + 1)} bank accounts`;
  throw rejectionError(
    rejection(
      "validation-failed",
      `Nothing was paid out or erased. Money of account ${String(accountId)} came from ${from}: name the customer's IBAN with --iban.`,
      { fieldErrors: { iban: ["must name the customer's bank account"] } },
    ),
  );
}

function reasonOf({ paidOut }: OpenAccountState): string {
  const earlier = [...paidOut.values()].filter(({ reason }) => reason.startsWith(settlementReason)).length;
  return earlier === 0 ? settlementReason : `${settlementReason}, payout ${String(earlier + 1)}`;
}
