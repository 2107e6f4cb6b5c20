import { paymentOfRefund, type HostingEvent } from "@hostledger/core";

import type { EventPlace } from "./charge-history.ts";

/** A debit of an account for money that goes back to the customer. */
export interface BookedDebit {
  readonly accountId: number;
  readonly to: "source" | "bank";
  readonly reference: string;
  readonly amountCents: bigint;
  readonly at: EventPlace;
  /** The credit of what did not reach the customer, which is over the whole amount: the account's stream is folded. */
  returned: EventPlace | undefined;
}

/** A refund at the payment provider. */
export interface BookedRefund {
  readonly refundId: string;
  /** Order id of its payment. */
  readonly orderId: string;
  readonly accountId: number;
  readonly amountCents: bigint;
  readonly at: EventPlace;
  settled: { readonly reference: string; readonly at: EventPlace } | undefined;
  /** The provider refused, or the money came back. */
  refused: EventPlace | undefined;
}

/** A payout through the operator's bank account. */
export interface BookedPayout {
  readonly endToEndId: string;
  /** The operator's bank account. */
  readonly iban: string;
  readonly accountId: number;
  readonly amountCents: bigint;
  readonly at: EventPlace;
  /** Files for the bank that have the payout; more than one is wrong. */
  readonly files: { readonly messageId: string; readonly at: EventPlace }[];
  /** Entries of the bank that paid the payout; more than one is wrong. */
  readonly paidBy: { readonly entryId: number; readonly at: EventPlace }[];
  /** Entries of the bank that brought the payout back; more than one is wrong. */
  readonly returnedBy: { readonly entryId: number; readonly at: EventPlace }[];
  /** True if what came back waits for staff, because the account was erased. */
  isParked: boolean;
}

/** A file of payouts for the bank. */
export interface BookedPayoutFile {
  readonly messageId: string;
  readonly endToEndIds: readonly string[];
  readonly amountCents: bigint;
  readonly at: EventPlace;
}

/** The books of money that goes back to customers. Memory grows with refunds and payouts. */
export interface MoneyOutBooks {
  readonly debits: BookedDebit[];
  /** By refund id. */
  readonly refunds: Map<string, BookedRefund>;
  /** By end-to-end id. */
  readonly payouts: Map<string, BookedPayout>;
  readonly files: BookedPayoutFile[];
  /** Payouts that came back, by the bank account and the entry. */
  readonly cameBack: Map<string, BookedPayout>;
}

export function emptyMoneyOutBooks(): MoneyOutBooks {
  return { debits: [], refunds: new Map(), payouts: new Map(), files: [], cameBack: new Map() };
}

/** Adds an event about a refund or a payout; ignores other events. */
export function bookMoneyOut(
  books: MoneyOutBooks,
  stream: string,
  event: HostingEvent,
  at: EventPlace,
): void {
  switch (event.type) {
    case "BalancePaidOut": {
      const { to, reference } = event.data;
      const accountId = accountOf(stream);
      const amountCents = BigInt(event.data.amountCents);
      books.debits.push({ accountId, to, reference, amountCents, at, returned: undefined });
      return;
    }
    case "PaidOutReturned": {
      const { reference } = event.data;
      const accountId = accountOf(stream);
      const debit = books.debits.find((one) => one.accountId === accountId && one.reference === reference);
      if (debit !== undefined) debit.returned = at;
      return;
    }
    case "EntryParked": {
      const payout = books.cameBack.get(entryOf(stream, event.data.entryId));
      if (payout !== undefined) payout.isParked = true;
      return;
    }
    case "RefundOrdered":
    case "RefundSettled":
    case "RefundRefused":
      bookRefund(books, event, at);
      return;
    case "PayoutQueued":
    case "PayoutFileMade":
    case "PayoutPaid":
    case "PayoutReturned":
      bookPayout(books, stream, event, at);
      return;
    default:
      return;
  }
}

function accountOf(stream: string): number {
  return Number(stream.slice("account-".length));
}

function entryOf(stream: string, entryId: number): string {
  return `${stream}/${String(entryId)}`;
}

type Of<Type extends HostingEvent["type"]> = Extract<HostingEvent, { readonly type: Type }>;

function bookRefund(
  { refunds }: MoneyOutBooks,
  event: Of<"RefundOrdered" | "RefundSettled" | "RefundRefused">,
  at: EventPlace,
): void {
  const { refundId, accountId } = event.data;
  const known = refunds.get(refundId);
  if (event.type === "RefundOrdered") {
    const orderId = paymentOfRefund(refundId) ?? "";
    const amountCents = BigInt(event.data.amountCents);
    const unanswered = { settled: undefined, refused: undefined };
    refunds.set(refundId, { refundId, orderId, accountId, amountCents, at, ...unanswered });
  } else if (known !== undefined && event.type === "RefundSettled")
    known.settled = { reference: event.data.providerReference, at };
  else if (known !== undefined) known.refused = at;
}

function bookPayout(
  { payouts, files, cameBack }: MoneyOutBooks,
  stream: string,
  event: Of<"PayoutQueued" | "PayoutFileMade" | "PayoutPaid" | "PayoutReturned">,
  at: EventPlace,
): void {
  if (event.type === "PayoutFileMade") {
    const { messageId, endToEndIds } = event.data;
    files.push({ messageId, endToEndIds, amountCents: BigInt(event.data.amountCents), at });
    for (const id of endToEndIds) payouts.get(id)?.files.push({ messageId, at });
    return;
  }
  const { accountId, endToEndId } = event.data;
  if (event.type === "PayoutQueued") {
    const amountCents = BigInt(event.data.amountCents);
    const iban = stream.slice("bank-".length);
    const nowhere = { files: [], paidBy: [], returnedBy: [], isParked: false };
    payouts.set(endToEndId, { endToEndId, iban, accountId, amountCents, at, ...nowhere });
  } else {
    const payout = payouts.get(endToEndId);
    const booked = { entryId: event.data.entryId, at };
    if (payout === undefined) return;
    if (event.type === "PayoutPaid") payout.paidBy.push(booked);
    else {
      payout.returnedBy.push(booked);
      cameBack.set(entryOf(stream, booked.entryId), payout);
    }
  }
}
