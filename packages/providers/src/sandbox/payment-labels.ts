/** Simulated fate of a payment. */
export type PaymentFate =
  | "paid"
  | "declined"
  | "lost"
  | "limbo"
  | "late"
  | "partial"
  | "overpaid"
  | "chargeback"
  | "mandate-revoked";

/** A row of the table: its meaning for people, and the cents of an amount that choose it too. */
export interface PaymentLabel {
  readonly label: Exclude<PaymentFate, "paid">;
  /** Last two digits of the amount: 10.01 EUR is declined. */
  readonly cents: bigint;
  readonly meaning: string;
}

/** Labels in the order's id, and cents of the amount, that choose a payment's fate. In a conflict the earlier row wins. */
export const paymentLabels: readonly PaymentLabel[] = [
  { label: "declined", cents: 1n, meaning: "the customer's bank declines" },
  { label: "lost", cents: 2n, meaning: "the order is taken but its answer is lost" },
  {
    label: "limbo",
    cents: 3n,
    meaning: "the order never answers, asking fails for a while, then the payment turns out to be made",
  },
  {
    label: "late",
    cents: 4n,
    meaning:
      "the order never answers, asking says that there is none, a while later the payment is made after all",
  },
  { label: "partial", cents: 5n, meaning: "half of the amount comes" },
  { label: "overpaid", cents: 6n, meaning: "twice the amount comes" },
  { label: "chargeback", cents: 7n, meaning: "the payment is made, and taken back a while later" },
  { label: "mandate-revoked", cents: 8n, meaning: "the order is refused: the customer withdrew the mandate" },
];

/** Returns the fate of a payment. @param amountCents cents (EUR) */
export function paymentFateOf(orderId: string, amountCents: bigint): PaymentFate {
  return (
    paymentLabels.find(({ label }) => orderId.includes(label))?.label ??
    paymentLabels.find(({ cents }) => amountCents % 100n === cents)?.label ??
    "paid"
  );
}

/** Simulated fate of a refund. */
export type RefundFate = "made" | "refused" | "lost" | "limbo" | "late" | "comes-back";

/** Last two digits of a refund's amount that choose its fate: a refund of 10.01 EUR is refused. */
export const refundFates: readonly {
  readonly fate: Exclude<RefundFate, "made">;
  readonly cents: bigint;
  readonly meaning: string;
}[] = [
  { fate: "refused", cents: 1n, meaning: "the provider refuses the refund" },
  { fate: "lost", cents: 2n, meaning: "the refund is made but its answer is lost" },
  {
    fate: "limbo",
    cents: 3n,
    meaning: "the refund never answers, asking fails for a while, then the refund turns out to be made",
  },
  {
    fate: "late",
    cents: 4n,
    meaning:
      "the refund never answers, asking says that there is none, a while later the refund is made after all",
  },
  { fate: "comes-back", cents: 8n, meaning: "the refund is made, and a while later the bank sends it back" },
];

/** Returns the fate of a refund. @param amountCents cents (EUR) */
export function refundFateOf(amountCents: bigint): RefundFate {
  return refundFates.find(({ cents }) => amountCents % 100n === cents)?.fate ?? "made";
}
