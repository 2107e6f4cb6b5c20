import { accept, type Command, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { BankEvent, ParkedBecause } from "./bank.events.ts";
import { receivedTransfers, type BankState, type TopUpShare } from "./bank.state.ts";
import { evolvePayouts } from "./payout.state.ts";
import { payoutNews } from "./payouts.ts";
import type { Booking, Payment, StatementKind } from "./statement.ts";
import { topUpReferenceOf } from "./top-up-reference.ts";
import { shareAmong, type NamedTopUp } from "./top-up-shares.ts";

/** Account of an incoming payment, or the reason why staff must choose it. */
export type Recipient =
  /** `topUps`: those that the payment names, oldest first. */
  | { readonly accountId: number; readonly topUps: readonly NamedTopUp[] }
  | { readonly because: ParkedBecause };

/** A payment with its recipient, which does not matter for money that left. */
export interface AddressedPayment extends Payment {
  readonly recipient: Recipient;
}

/** A booking with the keys that identify it in other files. */
export interface KeyedBooking extends Omit<Booking, "payments" | "currency"> {
  readonly payments: readonly AddressedPayment[];
  readonly key: string;
  /** Key under which a notification may have brought the booking before; null for a booking with the bank's own reference. */
  readonly noticeKey: string | null;
  /** Hash of its content; null for a booking with the bank's own reference. */
  readonly likeness: string | null;
  /** Number among the bookings of its file with equal content, from 1. */
  readonly occurrence: number;
}

/** Books the entries of a file that the stream lacks. */
export type BookEntries = Command<
  "BookEntries",
  {
    readonly iban: string;
    readonly kind: StatementKind;
    readonly statementId: string;
    readonly bookings: readonly KeyedBooking[];
    readonly keptUntilYear: number;
  }
>;

/** Books the payments of a file that the stream does not have, and says whose each is. */
export function bookEntries({ data }: BookEntries, state: BankState): Decision<BankEvent> {
  const events: BankEvent[] = [];
  let entryId = state.entries.size;
  let { payouts } = state;
  const shares = sharesOfFile(state);
  for (const booking of data.bookings) {
    if (isBooked(booking, data.kind, state)) continue;
    for (const [index, payment] of booking.payments.entries()) {
      entryId += 1;
      events.push(booked(data, { booking, payment, entryId, part: index + 1 }));
      const { isReversal } = booking;
      const news = payoutNews({ payouts }, payment, { entryId, isReversal, at: data.at });
      if (news !== undefined) {
        events.push(news);
        ({ payouts } = evolvePayouts({ ...state, payouts }, news));
      } else if (payment.amountCents > 0n) {
        const topUps = shares(payment);
        events.push(addressed(data, { payment, entryId, topUps }));
      }
    }
  }
  return accept(...events);
}

/** Returns a function that divides each payment of a file among the top-ups that it names, after the payments before it. */
function sharesOfFile(state: BankState): (payment: AddressedPayment) => readonly TopUpShare[] {
  const given = new Map<string, Cents>();
  return ({ amountCents, recipient }) => {
    if ("because" in recipient) return [];
    const { accountId, topUps } = recipient;
    const receivedOf = (paymentKey: string): Cents =>
      (receivedTransfers(state, { paymentKey, accountId })?.amountCents ?? 0n) +
      (given.get(paymentKey) ?? 0n);
    const shares = shareAmong(amountCents, topUps, receivedOf);
    for (const { paymentKey, amountCents: cents } of shares)
      given.set(paymentKey, (given.get(paymentKey) ?? 0n) + cents);
    return shares;
  };
}

/** Returns true if this file or another one brought the booking before. */
function isBooked(
  { key, noticeKey, likeness, occurrence }: KeyedBooking,
  kind: StatementKind,
  { keys, likenesses }: BankState,
): boolean {
  if (keys.has(key) || (noticeKey !== null && keys.has(noticeKey))) return true;
  // A late notification repeats a booking that a statement has already brought.
  return kind === "notice" && likeness !== null && (likenesses.get(likeness) ?? 0) >= occurrence;
}

function booked(
  { iban, statementId, keptUntilYear, at }: BookEntries["data"],
  {
    booking,
    payment,
    entryId,
    part,
  }: {
    readonly booking: KeyedBooking;
    readonly payment: AddressedPayment;
    readonly entryId: number;
    readonly part: number;
  },
): BankEvent {
  const { key, likeness, bookedOn, valueOn, bankReference, isReversal } = booking;
  const { amountCents, recipient: _, returnCode: __, ...texts } = payment;
  return {
    type: "BankEntryBooked",
    data: {
      entryId,
      iban,
      statementId,
      bookingKey: key,
      likeness,
      part,
      amountCents: String(amountCents),
      bookedOn,
      valueOn,
      bankReference,
      isReversal,
      ...texts,
      keyOwner: 0,
      keptUntilYear,
      recordedAt: at,
    },
  };
}

function addressed(
  { iban, at }: Pick<BookEntries["data"], "iban" | "at">,
  {
    payment,
    entryId,
    topUps,
  }: {
    readonly payment: AddressedPayment;
    readonly entryId: number;
    readonly topUps: readonly TopUpShare[];
  },
): BankEvent {
  const { recipient } = payment;
  if ("because" in recipient)
    return { type: "EntryParked", data: { entryId, because: recipient.because, parkedAt: at } };
  return {
    type: "EntryMatched",
    data: {
      entryId,
      accountId: recipient.accountId,
      amountCents: String(payment.amountCents),
      topUpReference: topUpReferenceOf(iban, entryId),
      by: "reference",
      matchedAt: at,
      topUps: topUps.map((one) => ({ ...one, amountCents: String(one.amountCents) })),
    },
  };
}
