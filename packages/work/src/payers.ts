import type { Payer } from "@hostledger/core";
import type { Accounts } from "@hostledger/store";

/** Reads the account that pays for renewals which nobody orders. @throws Error where there is none, or where it cannot be read. */
export async function readPayer(accounts: Pick<Accounts, "find">, accountId: number): Promise<Payer> {
  const found = await accounts.find(accountId);
  if (found === undefined) throw new Error(`there is no account ${String(accountId)}`);
  const { balanceCents, erasedAt } = found.account;
  return { balanceCents, isErased: erasedAt !== undefined };
}
