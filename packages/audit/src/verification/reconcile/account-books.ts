import type { HostingEvent } from "@hostledger/core";

/** Sums of an account's movements and documents, in cents. */
export interface AccountBooks {
  creditedCents: bigint;
  /** Adjustments by staff; negative if more was debited. */
  adjustedCents: bigint;
  /** Amount sent back to the customer, less what did not arrive, in cents (EUR). */
  paidOutCents: bigint;
  receiptedCents: bigint;
  chargedCents: bigint;
  invoicedCents: bigint;
  refundedCents: bigint;
  /** Positive. */
  correctedCents: bigint;
}

export function emptyBooks(): AccountBooks {
  return {
    creditedCents: 0n,
    adjustedCents: 0n,
    paidOutCents: 0n,
    receiptedCents: 0n,
    chargedCents: 0n,
    invoicedCents: 0n,
    refundedCents: 0n,
    correctedCents: 0n,
  };
}

/** Returns the balance from the movements, in cents. */
export function balanceOf(books: AccountBooks): bigint {
  return (
    books.creditedCents + books.adjustedCents - books.paidOutCents - books.chargedCents + books.refundedCents
  );
}

/** Adds a movement or document; ignores other events. */
export function book(books: AccountBooks, event: HostingEvent): void {
  switch (event.type) {
    case "BalanceCredited":
      books.creditedCents += BigInt(event.data.amountCents);
      return;
    case "BalanceAdjusted":
      books.adjustedCents += BigInt(event.data.amountCents);
      return;
    case "BalancePaidOut":
      books.paidOutCents += BigInt(event.data.amountCents);
      return;
    case "PaidOutReturned":
      books.paidOutCents -= BigInt(event.data.amountCents);
      return;
    case "BalanceCharged":
      books.chargedCents += BigInt(event.data.grossCents);
      return;
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      books.refundedCents += BigInt(event.data.grossCents);
      return;
    case "InvoiceIssued":
      if (event.data.action === "topup") books.receiptedCents += BigInt(event.data.grossCents);
      else books.invoicedCents += BigInt(event.data.grossCents);
      return;
    case "CorrectionIssued":
      books.correctedCents -= BigInt(event.data.grossCents);
      return;
    default:
      return;
  }
}
