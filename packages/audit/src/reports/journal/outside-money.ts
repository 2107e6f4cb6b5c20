import { categoryOf, entryOfTopUp, type HostingEvent } from "@hostledger/core";

import { eventAmong } from "../account-history.ts";
import type { Event, OnUnreadable } from "../event.ts";
import type { JournalAccount } from "./journal-accounts.ts";
import type { Posting, Transaction } from "./transaction.ts";

/** Event types of bank accounts and payments that move money or name its place. */
export const outsideTypes = [
  "BankEntryBooked",
  "EntryMatchedToProvider",
  "EntryParked",
  "PayoutPaid",
  "PayoutReturned",
  "PaymentRequested",
  "PaymentSettled",
  "PaymentReturned",
  "RefundSettled",
  "RefundRefused",
] as const satisfies readonly HostingEvent["type"][];

type OutsideEvent = Extract<HostingEvent, { type: (typeof outsideTypes)[number] }>;

/** The movements of money at the bank and at payment providers. */
export interface OutsideMoney {
  /** Returns the transaction of an event of a bank account or a payment; undefined for other events. */
  readonly transactionOf: (stored: Event, onUnreadable: OnUnreadable) => Transaction | undefined;
  /** Returns the account from which a top-up with this reference comes. Call it for each top-up, in the order of `$all`. */
  readonly sourceOf: (reference: string) => JournalAccount;
}

const suspense: JournalAccount = { kind: "suspense" };
const ordered: JournalAccount = { kind: "ordered" };

/**
 * Follows the money outside. It comes to the bank or a provider against the suspense account, and leaves the suspense account when a
 * customer's balance is credited, so that no payment is booked twice. Money that goes back to customers waits on its own account from
 * the debit until the bank or the provider sends it. Its memory grows with payments and with payments typed by staff.
 */
export function outsideMoney(): OutsideMoney {
  /** Names of providers by the payments' streams; empty for a payment that came by bank transfer. */
  const providers = new Map<string, string>();
  /** Sources of the top-ups that no bank entry names: a payment's reference, or one that staff typed. */
  const sources = new Map<string, JournalAccount>();
  const sentRefunds = new Set<string>();
  /** The bank's day of the last entry of each bank account: a payout's event follows its entry in the same append. */
  const lastDays = new Map<string, string>();
  /** Payouts that came back, by the bank account and the entry. */
  const returned = new Map<string, PayoutReturned>();
  return {
    sourceOf(reference) {
      if (entryOfTopUp(reference) !== undefined) return suspense;
      const known = sources.get(reference);
      if (known !== undefined) return known;
      const typed: JournalAccount = { kind: "bank" };
      sources.set(reference, typed);
      return typed;
    },
    transactionOf(stored, onUnreadable) {
      if (!isOutside(stored.stream)) return undefined;
      const event = eventAmong(outsideTypes, stored, onUnreadable);
      switch (event?.type) {
        case undefined:
          return undefined;
        case "BankEntryBooked":
          lastDays.set(stored.stream, event.data.bookedOn);
          return bankTransaction(stored, event);
        case "EntryMatchedToProvider":
          return payout(stored, event);
        case "EntryParked": {
          const payout = returned.get(entryOf(stored, event));
          return (
            payout &&
            customerPayout(stored, { data: payout.data, type: event.type }, stored.time.slice(0, 10))
          );
        }
        case "PayoutReturned":
          returned.set(entryOf(stored, event), event);
          return customerPayout(stored, event, lastDays.get(stored.stream) ?? stored.time.slice(0, 10));
        case "PayoutPaid":
          return customerPayout(stored, event, lastDays.get(stored.stream) ?? stored.time.slice(0, 10));
        case "PaymentRequested":
          providers.set(stored.stream, event.data.provider);
          return undefined;
        case "PaymentSettled": {
          const { providerReference: reference } = event.data;
          if (entryOfTopUp(reference) !== undefined) {
            // The bank's entry brings the money of a payment by transfer.
            providers.set(stored.stream, "");
            return undefined;
          }
          const contra = sources.get(reference) ?? suspense;
          sources.set(reference, contra);
          return settlement(stored, event, { provider: providers.get(stored.stream) ?? "unknown", contra });
        }
        case "RefundSettled":
          sentRefunds.add(event.data.refundId);
          return refundTransaction(stored, event, providers.get(stored.stream) ?? "unknown");
        case "RefundRefused": {
          const wasSent = sentRefunds.delete(event.data.refundId);
          const provider = providers.get(stored.stream) ?? "unknown";
          return wasSent ? refundTransaction(stored, event, provider) : undefined;
        }
        case "PaymentReturned": {
          const provider = providers.get(stored.stream) ?? "unknown";
          // After a refund in full, only the fee moves.
          const isMoved = provider !== "" && [event.data.amountCents, event.data.feeCents].some(isAboveZero);
          return isMoved ? chargeback(stored, event, provider) : undefined;
        }
      }
    },
  };
}

function isOutside(stream: string): boolean {
  const category = categoryOf(stream);
  return category === "bank" || category === "payment";
}

function bankTransaction(stored: Event, { data }: OutsideEvent & { type: "BankEntryBooked" }): Transaction {
  const { entryId, iban, bookedOn, bankReference } = data;
  const cents = BigInt(data.amountCents);
  const what = cents < 0n ? "Money out" : "Money in";
  return moved(stored, {
    kind: "bank",
    day: bookedOn,
    payee: `Bank ${iban}`,
    description: `${what}, entry ${String(entryId)}${bankReference === "" ? "" : `: ${bankReference}`}`,
    cause: `bank ${iban}/${String(entryId)}`,
    postings: [
      { account: { kind: "bank", iban }, amountCents: cents },
      { account: suspense, amountCents: -cents },
    ],
  });
}

/**
 * Moves money between the suspense account, where the bank's entry put it, and the provider that had it or has it
 * now.
 */
function payout(stored: Event, { data }: OutsideEvent & { type: "EntryMatchedToProvider" }): Transaction {
  const { entryId, provider, bookedOn } = data;
  const iban = stored.stream.slice("bank-".length);
  const cents = BigInt(data.amountCents);
  return moved(stored, {
    kind: "payout",
    day: bookedOn,
    payee: `PSP ${provider}`,
    description: `${cents < 0n ? "Taken from" : "Paid out to"} the bank account, entry ${String(entryId)}`,
    cause: `bank ${iban}/${String(entryId)}`,
    postings: [
      { account: { kind: "provider", name: provider }, amountCents: -cents },
      { account: suspense, amountCents: cents },
    ],
  });
}

type PayoutReturned = OutsideEvent & { type: "PayoutReturned" };

function entryOf({ stream }: Event, { data }: { readonly data: { readonly entryId: number } }): string {
  return `${stream}/${String(data.entryId)}`;
}

const movesOfPayout = {
  PayoutPaid: "paid",
  PayoutReturned: "came back",
  /** The account was erased: the money waits on the suspense account. */
  EntryParked: "waits for staff",
} as const;

/** Explains the bank's entry of a customer's payout, or of one that came back, which the entry put on the suspense account. */
function customerPayout(
  stored: Event,
  {
    type,
    data,
  }: {
    readonly type: keyof typeof movesOfPayout;
    readonly data: Pick<PayoutReturned["data"], "accountId" | "endToEndId" | "entryId" | "amountCents">;
  },
  day: string,
): Transaction {
  const { accountId, endToEndId, entryId } = data;
  const iban = stored.stream.slice("bank-".length);
  const cents = type === "PayoutReturned" ? -BigInt(data.amountCents) : BigInt(data.amountCents);
  return moved(stored, {
    kind: "payout",
    day,
    payee: `Bank ${iban}`,
    description: `Payout to account ${String(accountId)} ${movesOfPayout[type]}, entry ${String(entryId)}`,
    cause: endToEndId,
    postings: [
      { account: ordered, amountCents: cents },
      { account: suspense, amountCents: -cents },
    ],
  });
}

function settlement(
  stored: Event,
  { data }: OutsideEvent & { type: "PaymentSettled" },
  { provider, contra }: { readonly provider: string; readonly contra: JournalAccount },
): Transaction {
  const [cents, feeCents] = [BigInt(data.amountCents), BigInt(data.feeCents)];
  const fee: Posting = { account: { kind: "fees" }, amountCents: feeCents };
  return moved(stored, {
    kind: "settlement",
    day: data.valueDate,
    payee: `PSP ${provider}`,
    description: `Payment ${String(data.paymentId)} settled`,
    cause: data.providerReference,
    postings: [
      { account: { kind: "provider", name: provider }, amountCents: cents - feeCents },
      ...(feeCents === 0n ? [] : [fee]),
      { account: contra, amountCents: -cents },
    ],
  });
}

function chargeback(
  stored: Event,
  { data }: OutsideEvent & { type: "PaymentReturned" },
  provider: string,
): Transaction {
  const [cents, feeCents] = [BigInt(data.amountCents), BigInt(data.feeCents)];
  const fee: Posting = { account: { kind: "fees" }, amountCents: feeCents };
  return moved(stored, {
    kind: "chargeback",
    day: data.valueDate,
    payee: `PSP ${provider}`,
    description: `Payment ${String(data.paymentId)} taken back`,
    cause: stored.stream,
    postings: [
      { account: { kind: "provider", name: provider }, amountCents: -cents - feeCents },
      ...(feeCents === 0n ? [] : [fee]),
      ...(cents === 0n ? [] : [{ account: suspense, amountCents: cents }]),
    ],
  });
}

function isAboveZero(cents: string): boolean {
  return cents !== "0";
}

/** A refund that the provider sent, or one that came back to it. */
function refundTransaction(
  stored: Event,
  event: OutsideEvent & { type: "RefundRefused" | "RefundSettled" },
  provider: string,
): Transaction {
  const { paymentId, refundId, amountCents } = event.data;
  const isSent = event.type === "RefundSettled";
  const cents = isSent ? BigInt(amountCents) : -BigInt(amountCents);
  return moved(stored, {
    kind: "payout",
    day: isSent ? event.data.valueDate : stored.time.slice(0, 10),
    payee: `PSP ${provider}`,
    description: `Refund of payment ${String(paymentId)} ${isSent ? "sent" : "came back"}`,
    cause: refundId,
    postings: [
      { account: { kind: "provider", name: provider }, amountCents: -cents },
      { account: ordered, amountCents: cents },
    ],
  });
}

type Moved = Pick<Transaction, "kind" | "day" | "payee" | "description" | "cause" | "postings">;

function moved({ time, id }: Event, transaction: Moved): Transaction {
  return {
    time,
    accountId: undefined,
    documentNumber: "",
    eventId: id,
    vatCents: 0n,
    vatRatePercent: 0,
    tax: undefined,
    ...transaction,
  };
}
