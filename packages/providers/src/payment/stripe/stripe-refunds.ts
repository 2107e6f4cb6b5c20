import { asLine } from "@hostledger/core";

import { done, refused, type Outcome } from "../../outcome.ts";
import {
  outcomeOfRefund,
  type RefundOrder,
  type RefundOutcome,
  type RefundStanding,
} from "../payments.port.ts";
import type { StripeApi } from "./stripe-api.ts";
import { chargeOfOrder, chargesOf, isTaken, refundsOf } from "./stripe-charges.ts";
import { refundShape, type StripeCharge, type StripeRefund } from "./stripe-objects.codec.ts";
import { balanceOf, dayOf, metadataNames } from "./stripe-standing.ts";

/** A charge, and the refund with our id, if Stripe has it. */
interface Found {
  readonly charge: StripeCharge | undefined;
  readonly refund: StripeRefund | undefined;
}

/**
 * Orders a refund of a payment's charge. Searches the charge's refunds first, because Stripe may forget an
 * idempotency key after a day.
 */
export async function refundAtStripe(
  api: StripeApi,
  { orderId, refundId, amountCents }: RefundOrder,
): Promise<RefundOutcome> {
  const found = await find(api, { orderId, refundId });
  if (found.outcome !== "done") return found;
  const { charge, refund } = found.value;
  if (charge === undefined) return refused("rejected", "Nobody paid this order at Stripe.");
  if (refund !== undefined) return outcomeOfRefund(standingOfRefund(refund));
  const answer = await api.ask(refundShape, (stripe) =>
    stripe.refunds.create(
      {
        charge: charge.id,
        amount: Number(amountCents),
        metadata: { [metadataNames.order]: orderId, [metadataNames.refund]: refundId },
        expand: ["balance_transaction"],
      },
      { idempotencyKey: refundId },
    ),
  );
  return answer.outcome === "done" ? outcomeOfRefund(standingOfRefund(answer.value)) : answer;
}

/** Asks Stripe for the state of a refund. */
export async function inquireRefundAtStripe(
  api: StripeApi,
  asked: Omit<RefundOrder, "amountCents">,
): Promise<Outcome<RefundStanding>> {
  const found = await find(api, asked);
  if (found.outcome !== "done") return found;
  const { refund } = found.value;
  return done(refund === undefined ? { state: "none" } : standingOfRefund(refund));
}

async function find(
  api: StripeApi,
  { orderId, refundId }: Omit<RefundOrder, "amountCents">,
): Promise<Outcome<Found>> {
  const charges = await chargesOf(api, orderId);
  if (charges.outcome !== "done") return charges;
  // A refund that was made stays found, whichever charge counts since.
  for (const charge of charges.value.filter(isTaken)) {
    const refunds = await refundsOf(api, charge);
    if (refunds.outcome !== "done") return refunds;
    const refund = refunds.value.find(({ metadata }) => metadata?.[metadataNames.refund] === refundId);
    if (refund !== undefined) return done({ charge, refund });
  }
  const charge = await chargeOfOrder(api, charges.value);
  return charge.outcome === "done" ? done({ charge: charge.value, refund: undefined }) : charge;
}

function standingOfRefund(refund: StripeRefund): RefundStanding {
  const { id, amount, status, failure_reason: reason } = refund;
  if (status === "failed" || status === "canceled") {
    const words = reason ?? "the refund was cancelled";
    return { state: "failed", message: asLine(`Stripe sent nothing back: ${words}.`, 300, "failed") };
  }
  const balance = balanceOf(refund.balance_transaction);
  if (status !== "succeeded" || balance === undefined) return { state: "pending" };
  return {
    state: "settled",
    settlement: {
      amountCents: BigInt(amount),
      providerReference: id,
      valueDate: dayOf(balance.available_on),
    },
  };
}
