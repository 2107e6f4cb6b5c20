import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import {
  cents,
  count,
  day,
  flag,
  id,
  instant,
  line,
  retained,
  sha256,
  staffReason,
  text,
} from "../kernel/fields.ts";
import { payoutEvents } from "./payout.events.ts";

const iban = line(34);

/** Why an entry waits for staff. */
export const parkedBecause = [
  "no-reference",
  "several-references",
  "unknown-account",
  "account-erased",
  "reversal",
] as const;

export type ParkedBecause = (typeof parkedBecause)[number];

/** Maximum top-ups that one payment settles. */
export const topUpsOfPayment = 20;

const matched = {
  entryId: id,
  accountId: id,
  amountCents: cents,
  /** Reference of the top-up on the account. */
  topUpReference: text,
  /** `reference` if the payment named the account, `staff` if staff did. */
  by: z.enum(["reference", "staff"]),
  matchedAt: instant,
};

const matchedV2 = {
  ...matched,
  /** Stream of the top-up that the payment's reference names, without its category; null if it names none. */
  paymentKey: line(200).nullable(),
};

/** Events of the operator's bank account (stream `bank-<iban>`). */
export const bankEvents = defineEvents({
  StatementImported: event(
    "All entries of a bank statement (CAMT.053) or of a notification (CAMT.054) are booked, new or known from another file.",
    {
      iban,
      kind: z.enum(["statement", "notice"]),
      statementId: text,
      /** Hash of the statement's content, whatever file contains it. */
      contentSha256: sha256,
      /** Balances in cents; null in a notification without them. */
      openingCents: cents.nullable(),
      closingCents: cents.nullable(),
      /** Payments in the statement. */
      entries: z.int().nonnegative(),
      importedAt: instant,
    },
  ),
  BankEntryBooked: event("The bank booked a payment on the operator's account.", {
    /** Number of the entry in its stream, from 1. */
    entryId: id,
    iban,
    statementId: text,
    /** Identifies the bank's booking, which another file may have too. */
    bookingKey: sha256,
    /** Hash of the booking's content if the bank gave it no reference; otherwise null. */
    likeness: sha256.nullable(),
    /** Place among the payments that the bank booked in one sum. */
    part: count,
    /** Cents (EUR); below zero for money that left the account. */
    amountCents: cents,
    bookedOn: day,
    valueOn: day.nullable(),
    bankReference: line(140),
    isReversal: flag,
    /** Creditor reference (ISO 11649) in its own field; empty without one. */
    creditorReference: line(35),
    counterpartyName: retained(line(140), "keptUntilYear", "keyOwner"),
    counterpartyIban: retained(iban, "keptUntilYear", "keyOwner"),
    remittance: retained(text, "keptUntilYear", "keyOwner"),
    endToEndId: retained(line(35), "keptUntilYear", "keyOwner"),
    /** 0: the texts are sealed with a key of the operator's books, because no account may be known yet. */
    keyOwner: z.literal(0),
    /** Last year in which the law keeps the texts. */
    keptUntilYear: z.int(),
    recordedAt: instant,
  }),
  EntryMatched: event(
    "An incoming payment belongs to an account, which is credited next under this reference.",
    {
      ...matched,
      /** Streams of the top-ups that the payment names, without their category, and what each gets of it, in cents; none may be named. */
      topUps: z.array(z.strictObject({ paymentKey: line(200), amountCents: cents })).max(topUpsOfPayment),
    },
    {
      was: [
        shape(matchedV2, { was: [shape(matched), (older) => ({ ...older, paymentKey: null })] }),
        ({ paymentKey, ...older }) => {
          const topUps: { paymentKey: string; amountCents: string }[] = [];
          if (paymentKey !== null) topUps.push({ paymentKey, amountCents: older.amountCents });
          return { ...older, topUps };
        },
      ],
    },
  ),
  EntryParked: event("An incoming payment waits on the suspense account until staff say whose it is.", {
    entryId: id,
    because: z.enum(parkedBecause),
    parkedAt: instant,
  }),
  EntryReassigned: event(
    "Staff moved a payment that was booked on the wrong account: that top-up is reversed next, and the right account is credited.",
    {
      entryId: id,
      fromAccountId: id,
      toAccountId: id,
      amountCents: cents,
      /** Reference of the top-up on the right account. */
      topUpReference: text,
      reason: staffReason,
      reassignedAt: instant,
    },
  ),
  EntryMatchedToProvider: event(
    "Staff say that a payment is between the operator and a payment provider: a payout of what the provider had, or money that the provider took.",
    {
      entryId: id,
      /** Name of the payment provider. */
      provider: line(50),
      /** Cents (EUR); below zero for money that left the bank account. */
      amountCents: cents,
      /** The bank's day of the booking. */
      bookedOn: day,
      matchedAt: instant,
    },
  ),
  ...payoutEvents,
  EntryReturned: event("Staff decided that a payment of nobody goes back to its payer.", {
    entryId: id,
    reason: staffReason,
    returnedAt: instant,
  }),
});

export type BankEvent = EventOf<typeof bankEvents>;

export type BankEntryBooked = EventOf<typeof bankEvents, "BankEntryBooked">;

export const bankCodec = eventCodec(bankEvents);
