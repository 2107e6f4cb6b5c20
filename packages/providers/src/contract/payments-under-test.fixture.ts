import type { PaymentOrder, PaymentProvider, RefundOrder } from "../payment/payments.port.ts";

/** A payment provider, with what its contract needs of the outside. */
export interface PaymentsUnderTest {
  readonly payments: PaymentProvider;
  /** The provider's time, ISO 8601 UTC with six fractional digits. */
  now(): string;
  /** Returns the order of a payment that nobody ordered before. @param fate what becomes of it */
  orderOf(fate: "paid" | "declined" | "refused" | "charged-back"): PaymentOrder;
  /** Has the customer of an order pay, or try to. */
  pay(order: PaymentOrder): Promise<void> | void;
  /**
   * Returns the order of a refund that nobody ordered before, of a settled payment.
   * @param cents how much, in cents (EUR); 2500 by default
   */
  refundOf(order: PaymentOrder, cents?: bigint): RefundOrder;
  /** Has the provider make the ordered refunds, if it does not at once. */
  makeRefunds(): Promise<void> | void;
  /** Has the provider take the settled payment of a `charged-back` order back. */
  chargeBack(order: PaymentOrder): Promise<void> | void;
  close(): Promise<void> | void;
}
