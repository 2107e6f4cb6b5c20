import { onOneLine } from "@hostledger/core";

import type { PassedOver } from "../passed-over.ts";

/** Between which two sides something differs. */
export type ReconciledSides =
  | "books-events"
  | "books-documents"
  | "books-read-model"
  | "charges-documents"
  | "charges-runs"
  | "charges-deliveries";

/** Something that two sides tell differently. */
export interface Difference {
  readonly sides: ReconciledSides;
  /** Undefined where no account is known. */
  readonly accountId: number | undefined;
  /** The charge, or the payment's reference; undefined where it is about a whole account. */
  readonly cause: string | undefined;
  /** Leaf of the event it is about; undefined where it is about a whole account. */
  readonly index: number | undefined;
  /** That event in words, `account-7@3 (BalanceCharged.v1)`. */
  readonly event: string | undefined;
  /** What differs, a clause without its full stop. */
  readonly message: string;
}

/** A charge whose run has not ended: it may yet be delivered or refunded. */
export interface UnfinishedCharge {
  readonly chargeId: string;
  readonly accountId: number;
  readonly grossCents: bigint;
  readonly refundedCents: bigint;
  /** `reserved`: ordered and charged, and the run's first fact is not in the log yet. */
  readonly state: "reserved" | "running" | "parked" | "abandoned";
  /** When the charge was stored, ISO 8601 UTC. */
  readonly chargedAt: string;
  readonly index: number;
  readonly event: string;
}

/** What each side sums to, in cents. Where nothing differs, each pair is equal. */
export interface ReconciledSums {
  /** Payments by the books, and by their receipts. */
  readonly creditedCents: bigint;
  readonly receiptedCents: bigint;
  /** What staff corrected, which has no other side; below zero where more went out. */
  readonly adjustedCents: bigint;
  /** Charges by the books, and by their invoices. */
  readonly chargedCents: bigint;
  readonly invoicedCents: bigint;
  /** Refunds by the books, and by their corrections; both positive. */
  readonly refundedCents: bigint;
  readonly correctedCents: bigint;
  /** All balances by the books, and by the read model; undefined where no read model was compared. */
  readonly balanceCents: bigint;
  readonly shownCents: bigint | undefined;
}

/** Charges by how they ended. */
export interface ReconciledCharges {
  readonly charged: number;
  readonly delivered: number;
  readonly refunded: number;
  readonly unfinished: number;
}

/** What came out. */
export interface Reconciliation {
  /** How many events were read. */
  readonly size: number;
  readonly accounts: number;
  readonly sums: ReconciledSums;
  readonly charges: ReconciledCharges;
  /** At most 1,000; `differenceCount` is how many there are. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
  /** In the order in which they were charged. */
  readonly unfinished: readonly UnfinishedCharge[];
  /** What the books go on without; no difference. */
  readonly passedOver: PassedOver;
}

/** A difference in one line, without its newline. What an event says of itself cannot break or paint the line. */
export function differenceLine({ sides, accountId, cause, index, event, message }: Difference): string {
  const about = [
    ...(index === undefined ? [] : [`event ${String(index)} ${event ?? ""}`.trimEnd()]),
    ...(accountId === undefined ? [] : [`account ${String(accountId)}`]),
    ...(cause === undefined ? [] : [cause]),
  ].join(", ");
  return onOneLine(`${sides}: ${about === "" ? "" : `${about}: `}${message}`);
}
