import { epcQr, topUpTransferReference, transferMethod } from "@hostledger/core";

import type { AccountDependencies } from "../dependencies.ts";
import type { PaymentRow } from "../reads/payment.queries.ts";

type Bank = Pick<AccountDependencies, "accounts" | "bankBic" | "bankIban">;

/** The account to which customers transfer money. */
export interface TransferTarget {
  readonly iban: string;
  /** Empty if unknown. */
  readonly bic: string;
  readonly name: string;
}

/** Data for paying a top-up by bank transfer. */
export interface BankDetails extends TransferTarget {
  /** Creditor reference (ISO 11649) of the top-up. */
  readonly reference: string;
  /** Content of a QR code (EPC069-12). */
  readonly epcQr: string;
}

/** Returns where customers transfer money; undefined without a bank account. The seller holds it. */
export async function transferTarget({
  accounts,
  bankBic = "",
  bankIban,
}: Bank): Promise<TransferTarget | undefined> {
  if (bankIban === undefined) return undefined;
  const { seller } = await accounts.terms();
  return { iban: bankIban, bic: bankBic, name: seller.name };
}

/** Returns how to pay a top-up; undefined if no transfer is awaited. */
export function bankDetailsOf(
  { id, account_id, amount_cents, method, state }: PaymentRow,
  target: TransferTarget | undefined,
): BankDetails | undefined {
  if (target === undefined || method !== transferMethod || state !== "pending") return undefined;
  const reference = topUpTransferReference(account_id, id);
  return { ...target, reference, epcQr: epcQr({ ...target, reference, amountCents: BigInt(amount_cents) }) };
}
