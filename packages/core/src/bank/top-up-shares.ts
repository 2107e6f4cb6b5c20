import type { Cents } from "../money/money.ts";
import type { TopUpShare } from "./bank.state.ts";

/** A top-up that a payment names. */
export interface NamedTopUp {
  /** Its stream without the category. */
  readonly paymentKey: string;
  /** Cents (EUR) that the customer asked to pay. */
  readonly requestedCents: Cents;
}

/**
 * Divides a payment among the top-ups that it names: the first one gets what it still waits for, then the second one, and so on. The last
 * one gets the rest, also more than it waits for. The shares sum to the payment.
 * @param topUps oldest first
 * @param receivedOf what came for a top-up before, in cents (EUR)
 */
export function shareAmong(
  amountCents: Cents,
  topUps: readonly NamedTopUp[],
  receivedOf: (paymentKey: string) => Cents,
): readonly TopUpShare[] {
  let left = amountCents;
  return topUps.flatMap(({ paymentKey, requestedCents }, index) => {
    const open = requestedCents - receivedOf(paymentKey);
    const wanted = open < 0n ? 0n : open;
    const share = index === topUps.length - 1 || wanted > left ? left : wanted;
    left -= share;
    return share === 0n ? [] : [{ paymentKey, amountCents: share }];
  });
}
