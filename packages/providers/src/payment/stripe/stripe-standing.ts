import { asLine } from "@hostledger/core";

import { done, unknown, type Outcome } from "../../outcome.ts";
import type { PaymentStanding, Settlement } from "../payments.port.ts";
import type { StripeBalance, StripeCharge, StripeDispute, StripeRefund } from "./stripe-objects.codec.ts";

/** Metadata keys of our orders at Stripe. */
export const metadataNames = {
  order: "hostledger_order",
  /** `yes` if the customer agreed that the method is stored. */
  storesMethod: "hostledger_stores_method",
  refund: "hostledger_refund",
} as const;

/** Maximum characters of the words of Stripe in a standing. */
const longestWords = 300;

/** The currency of all accounts. */
const euro = "eur";

/** Disputes, refunds and balance transactions that complete a charge. */
export interface ChargeCircumstances {
  readonly disputes: readonly StripeDispute[];
  readonly refunds: readonly StripeRefund[];
}

/** Returns the state of a paid charge; unknown if only staff can decide. */
export function standingOfCharge(
  charge: StripeCharge,
  { disputes, refunds }: ChargeCircumstances,
): Outcome<PaymentStanding> {
  const { id, amount } = charge;
  const balance = balanceOf(charge.balance_transaction);
  // The customer has paid, and Stripe does not yet know its fee.
  if (balance === undefined) return done({ state: "pending", redirectUrl: "" });
  if (charge.currency !== euro || balance.currency !== euro)
    return unknown(`Stripe took ${id} in another currency than euros, or keeps it in one.`);
  const settlement = settlementOf(charge, balance);
  const taken = takenBack(disputes, refunds);
  if (taken.amountCents === 0) return done({ state: "settled", settlement });
  // A dispute of a payment that we refunded in part takes the rest, also if a refund failed afterwards.
  const left = [amount - taken.refundedCents, amount - taken.refundedCents - taken.failedCents];
  if (!left.includes(taken.amountCents))
    return unknown(
      `Stripe took ${euros(taken.amountCents)} of ${euros(amount)} back (${id}). Debit the customer's account by hand.`,
    );
  const { feeCents, message, valueDate } = taken;
  const amountCents = BigInt(taken.amountCents);
  return done({ state: "returned", settlement, amountCents, feeCents, message, valueDate });
}

/** The balance transaction, if Stripe sent it as an object. */
export function balanceOf(sent: StripeCharge["balance_transaction"]): StripeBalance | undefined {
  return typeof sent === "object" && sent !== null ? sent : undefined;
}

/** Day of a Unix time in seconds (UTC). */
export function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

function settlementOf(charge: StripeCharge, { fee, available_on: availableOn }: StripeBalance): Settlement {
  const { id, amount, metadata, payment_method: method } = charge;
  const { brand, last4 } = charge.payment_method_details?.card ?? {};
  const storesMethod = metadata[metadataNames.storesMethod] === "yes" && typeof method === "string";
  const label = `${nameOf(brand ?? "card")} …${last4 ?? "????"}`;
  return {
    amountCents: BigInt(amount),
    feeCents: BigInt(fee),
    providerReference: id,
    valueDate: dayOf(availableOn),
    ...(storesMethod && { storedMethod: { id: method, kind: "card", label: asLine(label, 100, "card") } }),
  };
}

function nameOf(brand: string): string {
  return brand.charAt(0).toUpperCase() + brand.slice(1);
}

/**
 * Returns the cents of a charge that disputes and foreign refunds took, and the cents that we refunded. A won
 * dispute took nothing.
 */
function takenBack(disputes: readonly StripeDispute[], refunds: readonly StripeRefund[]) {
  const movements = disputes.flatMap((dispute) => dispute.balance_transactions);
  const foreign = foreignRefunds(refunds);
  const ours = refunds.filter(isOurs);
  const sumOf = (some: readonly StripeRefund[]): number => some.reduce((sum, { amount }) => sum + amount, 0);
  const [first] = [...movements, ...foreign.flatMap((refund) => balanceOf(refund.balance_transaction) ?? [])];
  const reason = disputes[0]?.reason;
  return {
    amountCents: sumOf(foreign) - movements.reduce((sum, { amount }) => sum + amount, 0),
    feeCents: BigInt(movements.reduce((sum, { fee }) => sum + fee, 0)),
    refundedCents: sumOf(ours.filter(isSent)),
    failedCents: sumOf(ours.filter((refund) => !isSent(refund))),
    message:
      reason === undefined
        ? "The payment was sent back at Stripe, without an order of ours."
        : asLine(`The payment was charged back (${reason}).`, longestWords, "The payment was charged back."),
    valueDate: dayOf(first?.available_on ?? 0),
  };
}

/** Returns the refunds that we did not order and that took money from our balance. */
export function foreignRefunds(refunds: readonly StripeRefund[]): readonly StripeRefund[] {
  return refunds.filter(
    (refund) => isSent(refund) && !isOurs(refund) && balanceOf(refund.balance_transaction) !== undefined,
  );
}

function isSent({ status }: StripeRefund): boolean {
  return status !== "failed" && status !== "canceled";
}

function isOurs({ metadata }: StripeRefund): boolean {
  return metadata?.[metadataNames.refund] !== undefined;
}

function euros(amount: number): string {
  return `${(amount / 100).toFixed(2)} euros`;
}
