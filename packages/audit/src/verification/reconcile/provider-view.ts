import { addMilliseconds } from "@hostledger/core";

/** A movement that a payment provider lists. */
export interface ProviderMovement {
  /**
   * `return`: a chargeback. `refund` and `refund-return`: a refund to the source, and one that came back. `payout`: money that the
   * provider transferred to our bank account.
   */
  readonly kind: "settlement" | "return" | "refund" | "refund-return" | "payout";
  /** Our reference, which is the name of the payment's stream; empty if the provider has none, and for a payout. */
  readonly orderId: string;
  /** Our reference of a refund; empty if the provider has none, undefined for other movements. */
  readonly refundId?: string | undefined;
  /** The provider's own reference of the payment, the refund or the payout. */
  readonly providerReference: string;
  /** Cents (EUR), above zero. */
  readonly amountCents: bigint;
  /** Fee that the provider keeps, in cents (EUR). */
  readonly feeCents: bigint;
  /** Time of the movement, ISO 8601 UTC. */
  readonly at: string;
}

/** All movements of a payment provider in a period. */
export interface ProviderView {
  readonly name: string;
  /** Start and end of the period, ISO 8601 UTC. */
  readonly from: string;
  readonly to: string;
  readonly movements: readonly ProviderMovement[];
}

/** Maximum time after which the books learn of a movement, because questions come once a day, in milliseconds. */
const latestMs = 2 * 86_400_000;

/** Returns whether the list must have what the books recorded at a time: they learn of a movement later than the provider makes it. */
export function mustBeListed({ from, to }: Pick<ProviderView, "from" | "to">, time: string): boolean {
  return time >= addMilliseconds(from, latestMs) && time <= to;
}
