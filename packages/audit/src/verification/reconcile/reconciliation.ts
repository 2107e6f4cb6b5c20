import { onOneLine } from "@hostledger/core";

import type { PassedOver } from "../log-judge.ts";

export type ReconciledSides =
  | "books-events"
  | "books-documents"
  | "books-read-model"
  | "charges-documents"
  | "charges-runs"
  | "charges-deliveries"
  /** The bank's statements and the entries booked from them. */
  | "bank-statements"
  /** Top-ups and the entries of the bank. */
  | "books-bank"
  /** Top-ups and what a payment provider settled. */
  | "books-provider";

export interface Difference {
  readonly sides: ReconciledSides;
  /** Undefined if unknown. */
  readonly accountId: number | undefined;
  /** The charge id or payment reference; undefined if it concerns a whole account. */
  readonly cause: string | undefined;
  /** Leaf of the event; undefined if it concerns a whole account. */
  readonly index: number | undefined;
  /** The event, such as `account-7@3 (BalanceCharged.v1)`. */
  readonly event: string | undefined;
  /** Clause on the difference, without full stop. */
  readonly message: string;
}

/** A charge of an unfinished run, which may still be delivered or refunded. */
export interface UnfinishedCharge {
  readonly chargeId: string;
  readonly accountId: number;
  readonly grossCents: bigint;
  readonly refundedCents: bigint;
  /** `reserved`: ordered and charged, but the log does not contain the run's first event yet. */
  readonly state: "reserved" | "running" | "parked" | "abandoned";
  /** Time when the charge was stored, ISO 8601 UTC. */
  readonly chargedAt: string;
  readonly index: number;
  readonly event: string;
}

/** Sums of each side in cents; without differences each pair is equal. */
export interface ReconciledSums {
  /** Payments by movements, and by receipts. */
  readonly creditedCents: bigint;
  readonly receiptedCents: bigint;
  /** Adjustments by staff, which have no second side; negative if more was debited. */
  readonly adjustedCents: bigint;
  /** Amount sent back to customers, less what did not arrive, in cents (EUR). */
  readonly paidOutCents: bigint;
  /** Charges by movements, and by invoices. */
  readonly chargedCents: bigint;
  readonly invoicedCents: bigint;
  /** Refunds by movements, and by corrections; both positive. */
  readonly refundedCents: bigint;
  readonly correctedCents: bigint;
  /** Total balance by movements, and by the read model; the latter undefined if not compared. */
  readonly balanceCents: bigint;
  readonly shownCents: bigint | undefined;
}

export interface ReconciledCharges {
  readonly charged: number;
  readonly delivered: number;
  readonly refunded: number;
  readonly unfinished: number;
}

/** Comparison with bank and payment providers. */
export interface OutsideReconciliation {
  readonly statements: number;
  readonly bankEntries: number;
  /** Incoming payments that wait for staff, and their sum in cents. */
  readonly waiting: number;
  readonly waitingCents: bigint;
  /** Money that left the bank account and is no payout to a customer and no provider's, and its sum in cents, above zero. */
  readonly unexplained: number;
  readonly unexplainedCents: bigint;
  readonly payments: number;
  readonly refunds: number;
  readonly payouts: number;
  /**
   * Sources that were not compared although readers may expect it; each a noun, such as `the list of the payment
   * provider stripe`.
   */
  readonly notCompared: readonly string[];
}

export interface Reconciliation {
  readonly size: number;
  readonly accounts: number;
  readonly sums: ReconciledSums;
  readonly charges: ReconciledCharges;
  /** At most 1,000; `differenceCount` is the total. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
  readonly outside: OutsideReconciliation;
  /** In order of their charges. */
  readonly unfinished: readonly UnfinishedCharge[];
  /** Events that the books ignore; no differences. */
  readonly passedOver: PassedOver;
}

/** Formats a difference in one line without line end. Control characters of events are removed. */
export function differenceLine({ sides, accountId, cause, index, event, message }: Difference): string {
  const about = [
    ...(index === undefined ? [] : [`event ${String(index)} ${event ?? ""}`.trimEnd()]),
    ...(accountId === undefined ? [] : [`account ${String(accountId)}`]),
    ...(cause === undefined ? [] : [cause]),
  ].join(", ");
  return onOneLine(`${sides}: ${about === "" ? "" : `${about}: `}${message}`);
}
