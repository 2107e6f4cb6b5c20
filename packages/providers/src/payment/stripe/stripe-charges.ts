import { done, unknown, type Outcome } from "../../outcome.ts";
import type { StripeAnswer, StripeApi } from "./stripe-api.ts";
import { foreignRefunds } from "./stripe-standing.ts";
import {
  chargesShape,
  disputesShape,
  refundsShape,
  type StripeCharge,
  type StripeDispute,
  type StripeRefund,
} from "./stripe-objects.codec.ts";

/** Maximum items in one list of Stripe. */
const mostListed = 100;

/** Lists the charges of an order, newest first, with Stripe's fees. */
export async function chargesOf(api: StripeApi, orderId: string): Promise<Outcome<readonly StripeCharge[]>> {
  const charges = await api.ask(chargesShape, (stripe) =>
    stripe.charges.list({
      transfer_group: orderId,
      limit: mostListed,
      expand: ["data.balance_transaction"],
    }),
  );
  if (charges.outcome !== "done") return uncertain(charges);
  const { data } = charges.value;
  // Money of another order must not be credited, so the filter is checked again here.
  return data.every(({ transfer_group: group }) => group === orderId)
    ? done(data)
    : unknown("Stripe answered about other orders.");
}

/** Lists the refunds of a charge, ours and others. */
export async function refundsOf(
  api: StripeApi,
  { id }: StripeCharge,
): Promise<Outcome<readonly StripeRefund[]>> {
  const refunds = await api.ask(refundsShape, (stripe) =>
    stripe.refunds.list({ charge: id, limit: mostListed, expand: ["data.balance_transaction"] }),
  );
  if (refunds.outcome !== "done") return uncertain(refunds);
  return refunds.value.has_more
    ? unknown(`The payment ${id} has more refunds than ${String(mostListed)}.`)
    : done(refunds.value.data);
}

/** Lists the disputes of a charge. */
export async function disputesOf(
  api: StripeApi,
  { id }: StripeCharge,
): Promise<Outcome<readonly StripeDispute[]>> {
  const disputes = await api.ask(disputesShape, (stripe) =>
    stripe.disputes.list({ charge: id, limit: mostListed }),
  );
  return disputes.outcome === "done" ? done(disputes.value.data) : uncertain(disputes);
}

/** True if a charge took money, or may still take it. */
export function isTaken({ status }: StripeCharge): boolean {
  return status !== "failed";
}

/**
 * Finds the charge of an order among its charges; undefined if nobody paid. A customer may pay twice, for example on two pages. Then
 * staff send one payment back at Stripe, and the other one counts.
 */
export async function chargeOfOrder(
  api: StripeApi,
  charges: readonly StripeCharge[],
): Promise<Outcome<StripeCharge | undefined>> {
  const taken = charges.filter(isTaken);
  const [first, second] = taken;
  if (second === undefined) return done(first);
  const kept: StripeCharge[] = [];
  for (const charge of taken) {
    const refunds = charge.amount_refunded < charge.amount ? done([]) : await refundsOf(api, charge);
    if (refunds.outcome !== "done") return refunds;
    const sentBack = foreignRefunds(refunds.value).reduce((sum, { amount }) => sum + amount, 0);
    if (sentBack < charge.amount) kept.push(charge);
  }
  const [only, other] = kept;
  return other === undefined
    ? done(only ?? taken.at(-1))
    : unknown(
        `The customer paid twice at Stripe (${kept.map(({ id }) => id).join(", ")}): send one payment back.`,
      );
}

/** A question that was refused says nothing about the order. */
export function uncertain(
  answer: Exclude<StripeAnswer<never>, { readonly outcome: "done" }>,
): Outcome<never> {
  return answer.outcome === "refused" && answer.reason === "rejected" ? unknown(answer.message) : answer;
}
