/** Objects of Stripe's API with every field that its document requires. */

/** A fee like that of a European card: 1.5 % and 25 cents. */
export function feeOf(amount: number): number {
  return Math.floor((amount * 15) / 1_000) + 25;
}

/** Days until Stripe counts money as ours. */
const availableAfterSeconds = 3 * 86_400;

/** A movement of our balance at Stripe. @param created Unix time in seconds */
export function balanceTransaction(
  type: "charge" | "refund" | "adjustment" | "refund_failure" | "payout" | "stripe_fee",
  { id, amount, fee, created }: { id: string; amount: number; fee: number; created: number },
) {
  return {
    id,
    object: "balance_transaction",
    amount,
    available_on: created + availableAfterSeconds,
    balance_type: "payments",
    created,
    currency: "eur",
    fee,
    fee_details: [],
    net: amount - fee,
    reporting_category: type === "adjustment" ? "dispute" : type === "stripe_fee" ? "fee" : type,
    status: "pending",
    type,
  };
}

export type BalanceTransaction = ReturnType<typeof balanceTransaction>;

export interface Session {
  readonly id: string;
  readonly created: number;
  readonly orderId: string;
  readonly amount: number;
  readonly storesMethod: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly transferGroup: string;
  status: "open" | "complete" | "expired";
  paymentIntent: string | null;
}

/** Time for which a page accepts payments, in seconds. */
export const sessionSeconds = 86_400;

export function sessionObject(session: Session) {
  const { id, created, orderId, amount, metadata, status, paymentIntent } = session;
  return {
    id,
    object: "checkout.session",
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    client_reference_id: orderId,
    created,
    currency: "eur",
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    expires_at: created + sessionSeconds,
    livemode: false,
    metadata,
    mode: "payment",
    payment_intent: paymentIntent,
    payment_method_types: ["card"],
    payment_status: status === "complete" ? "paid" : "unpaid",
    shipping_options: [],
    status,
    url: status === "open" ? `https://checkout.example/c/pay/${id}` : null,
  };
}

export interface Charge {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Empty for a charge without an order. */
  readonly transferGroup: string;
  readonly paymentIntent: string;
  readonly customer: string | null;
  readonly paymentMethod: string;
  readonly isPaid: boolean;
  readonly balance: BalanceTransaction | null;
  isDisputed: boolean;
  refunded: number;
}

export function chargeObject(charge: Charge, expands: boolean) {
  const { id, created, amount, isPaid, balance, refunded } = charge;
  return {
    id,
    object: "charge",
    amount,
    amount_captured: isPaid ? amount : 0,
    amount_refunded: refunded,
    balance_transaction: expands ? balance : (balance?.id ?? null),
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    captured: isPaid,
    created,
    currency: "eur",
    customer: charge.customer,
    disputed: charge.isDisputed,
    failure_code: isPaid ? null : "card_declined",
    failure_message: isPaid ? null : "Your card was declined.",
    livemode: false,
    metadata: charge.metadata,
    paid: isPaid,
    payment_intent: charge.paymentIntent,
    payment_method: charge.paymentMethod,
    payment_method_details: { type: "card", card: { brand: "visa", last4: "4242" } },
    refunded: isPaid && refunded === amount,
    status: isPaid ? "succeeded" : "failed",
    transfer_group: charge.transferGroup === "" ? null : charge.transferGroup,
  };
}

export interface Dispute {
  readonly id: string;
  readonly created: number;
  readonly charge: string;
  readonly amount: number;
  readonly status: string;
  readonly movements: readonly BalanceTransaction[];
}

export function disputeObject({ id, created, charge, amount, status, movements }: Dispute) {
  return {
    id,
    object: "dispute",
    amount,
    balance_transactions: movements,
    charge,
    created,
    currency: "eur",
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {},
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    reason: "fraudulent",
    status,
  };
}

export interface Refund {
  readonly id: string;
  readonly created: number;
  readonly charge: string;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null while Stripe has not taken the money from our balance. */
  balance: BalanceTransaction | null;
  status: "pending" | "succeeded" | "failed";
}

export function refundObject(refund: Refund, expands: boolean) {
  const { id, created, charge, amount, metadata, balance, status } = refund;
  return {
    id,
    object: "refund",
    amount,
    balance_transaction: expands ? balance : (balance?.id ?? null),
    charge,
    created,
    currency: "eur",
    metadata,
    status,
    ...(status === "failed" && { failure_reason: "expired_or_canceled_card" }),
  };
}

/** A payout to our bank account. */
export function payoutObject(id: string, amount: number, created: number) {
  return {
    id,
    object: "payout",
    amount,
    arrival_date: created,
    automatic: true,
    created,
    currency: "eur",
    livemode: false,
    method: "standard",
    reconciliation_status: "completed",
    source_type: "card",
    status: "paid",
    type: "bank_account",
  };
}

export function methodObject(id: string, customer: string | null, created: number) {
  return {
    id,
    object: "payment_method",
    allow_redisplay: "limited",
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: { brand: "visa", last4: "4242" },
    created,
    customer,
    livemode: false,
    metadata: {},
    type: "card",
  };
}
