import type { DocumentTax } from "../document-tax.ts";
import type { JournalAccount } from "./journal-accounts.ts";

/** A side of a transaction in cents (EUR): positive for a debit, negative for a credit. */
export interface Posting {
  readonly account: JournalAccount;
  readonly amountCents: bigint;
}

/** A movement of money; its postings sum to zero. */
export interface Transaction {
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /**
   * Date of the booking, YYYY-MM-DD: that of its document (`dayOfDocument`), the bank's day, or the provider's; otherwise the UTC day of
   * `time`.
   */
  readonly day: string;
  /** The customer; undefined for movements at the bank and at payment providers. */
  readonly accountId: number | undefined;
  /** Owner of the movement: `Account 7`, `Bank DE89370400440532013000` or `PSP stripe`. */
  readonly payee: string;
  readonly kind:
    | "opening"
    | "payment"
    | "adjustment"
    | "charge"
    | "refund"
    | "bank"
    | "payout"
    | "settlement"
    | "chargeback";
  /** Number of its document; empty if it has none. */
  readonly documentNumber: string;
  readonly description: string;
  /** Id of the charge, or reference of the payment, the bank's entry or the correction. */
  readonly cause: string;
  /** Id of the movement's event; empty for an opening balance. */
  readonly eventId: string;
  /** VAT contained in it, in cents (EUR), from the document. */
  readonly vatCents: bigint;
  readonly vatRatePercent: number;
  /** Tax of the document; undefined for payments, and without a document. */
  readonly tax: DocumentTax | undefined;
  readonly postings: readonly Posting[];
}

/** An entry of a journal, in the order of `$all`. */
export type JournalEntry =
  | { readonly kind: "customer"; readonly accountId: number; readonly name: string; readonly time: string }
  /** Comes before the first transaction with an account that few books have. */
  | { readonly kind: "account"; readonly account: JournalAccount }
  | { readonly kind: "transaction"; readonly transaction: Transaction };

/** Start and end of a journal, inclusive: a date of bookings (YYYY-MM-DD), or an instant of storage (ISO 8601 UTC). */
export interface JournalPeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
