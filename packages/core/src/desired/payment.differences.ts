import { formatEuros, type Cents } from "../money/money.ts";
import type { PaymentState, SettledPayment } from "../payment/payment.decider.ts";
import { difference, type Difference } from "./difference.ts";

/** What a payment provider lists about a payment. */
export interface PaymentMovement {
  /** `settlement`: the customer's payment; `return`: a chargeback, or one that we won. */
  readonly kind: "settlement" | "refund" | "return";
  /** Our id of the refund; empty for other movements, and for a refund that was made without an order. */
  readonly refundId: string;
  readonly providerReference: string;
  /** What is added to our balance, in cents of the currency; below zero if the movement takes money. */
  readonly amountCents: bigint;
  /** ISO 4217, such as `EUR`. */
  readonly currency: string;
}

/** A payment that was requested here. */
export type RequestedPaymentState = Exclude<PaymentState, { readonly status: "absent" }>;

/** The account that was credited under the reference of a payment. */
export interface CreditedAccount {
  readonly accountId: number;
  readonly amountCents: Cents;
}

/** The currency of all accounts. */
const euro = "EUR";

/** Compares what a provider lists about a payment with the payment's stream. */
export function paymentDifferences(
  orderId: string,
  movements: readonly PaymentMovement[],
  payment: RequestedPaymentState,
): readonly Difference[] {
  return [
    ...settlementDifferences(orderId, movements, payment),
    ...returnDifferences(orderId, movements, payment),
    ...refundDifferences(orderId, movements, payment),
  ];
}

/** Compares a settled payment with what was credited for it. @param credited undefined if nobody was credited */
export function creditDifferences(
  orderId: string,
  { requested: { accountId }, settled }: SettledState,
  credited: CreditedAccount | undefined,
): readonly Difference[] {
  const expected = `${formatEuros(settled.amountCents)} EUR for account ${String(accountId)}`;
  if (credited?.accountId === accountId && credited.amountCents === settled.amountCents) return [];
  const found =
    credited === undefined
      ? "nobody was credited"
      : `account ${String(credited.accountId)} was credited ${formatEuros(credited.amountCents)} EUR`;
  return [difference("payment-account", orderId, { expected, found })];
}

/** Describes money at a provider of which the books have no payment. @param resource order id, or the provider's reference */
export function unknownPayment(resource: string, movement: PaymentMovement): Difference {
  return difference("payment-unknown", resource, { expected: "no such payment", found: wordsOf(movement) });
}

/** Describes many payments at a provider without an order of ours. */
export function unknownPayments(
  provider: string,
  { count, example }: { readonly count: number; readonly example: PaymentMovement },
): Difference {
  return difference("payment-unknown", `others-at-${provider}`, {
    expected: "no such payments",
    found: `${String(count)} payments that nobody ordered here, such as ${wordsOf(example)}`,
  });
}

/** Describes a payment that is settled in the books, and not at the provider. @param found the provider's state of it */
export function missingPayment(orderId: string, { settled }: SettledState, found: string): Difference {
  return difference("payment-missing", orderId, { expected: settledWords(settled), found });
}

/** Describes a payment over which the provider's answer differs from the books. */
export function amountDifference(
  orderId: string,
  settled: SettledPayment,
  found: Pick<PaymentMovement, "providerReference" | "amountCents" | "currency">,
): Difference {
  return difference("payment-amount", orderId, { expected: settledWords(settled), found: wordsOf(found) });
}

type SettledState = Extract<PaymentState, { readonly settled: SettledPayment }>;

function settlementDifferences(
  orderId: string,
  movements: readonly PaymentMovement[],
  payment: RequestedPaymentState,
): readonly Difference[] {
  const settlements = movements.filter(({ kind }) => kind === "settlement");
  const [first] = settlements;
  const references = new Set(settlements.map(({ providerReference }) => providerReference));
  if (!isSettled(payment)) {
    if (first === undefined) return [];
    const found = settlements.map(wordsOf).join(", and ");
    const kind = references.size > 1 ? "payment-doubled" : "payment-unsettled";
    return [difference(kind, orderId, { expected: payment.status, found })];
  }
  const { settled } = payment;
  const others = settlements.filter((one) => one.providerReference !== settled.providerReference);
  const wrong = settlements.find(
    (one) =>
      one.providerReference === settled.providerReference &&
      (one.currency !== euro || one.amountCents !== settled.amountCents),
  );
  return [
    ...(others.length === 0
      ? []
      : [
          difference("payment-doubled", orderId, {
            expected: settledWords(settled),
            found: others.map(wordsOf).join(", and "),
          }),
        ]),
    ...(wrong === undefined ? [] : [amountDifference(orderId, settled, wrong)]),
  ];
}

/** What was taken back without an order of ours: by chargebacks, and by refunds at the provider. */
function returnDifferences(
  orderId: string,
  movements: readonly PaymentMovement[],
  payment: RequestedPaymentState,
): readonly Difference[] {
  const taking = movements.filter(
    ({ kind, refundId }) => kind === "return" || (kind === "refund" && refundId === ""),
  );
  if (taking.length === 0) return [];
  const cents = taking.reduce((sum, { amountCents }) => sum - amountCents, 0n);
  const isTaken = cents > 0n;
  // Not settled: what came is the difference.
  if (!isSettled(payment) || (payment.status === "returned") === isTaken) return [];
  const found = isTaken ? `${formatEuros(cents)} EUR were taken back` : "what was taken back came again";
  const expected = isTaken ? "nothing was taken back" : "the payment was taken back";
  return [difference("payment-return", orderId, { expected, found })];
}

/** Refunds with an id of ours. One that is ordered is asked about by the work on payments. */
function refundDifferences(
  orderId: string,
  movements: readonly PaymentMovement[],
  payment: RequestedPaymentState,
): readonly Difference[] {
  const sent = new Map<string, bigint>();
  for (const { kind, refundId, amountCents } of movements)
    if (kind === "refund" && refundId !== "") sent.set(refundId, (sent.get(refundId) ?? 0n) - amountCents);
  return [...sent].flatMap(([refundId, cents]) => {
    const refund = isSettled(payment) ? payment.refunds.get(refundId) : undefined;
    if (refund?.status === "ordered") return [];
    const booked = refund?.status === "settled" ? refund.amountCents : 0n;
    // Only the money that came back is in the span.
    if (booked === cents || (cents < 0n && booked === 0n)) return [];
    const [expected, found] = [booked, cents].map(
      (one) => `${formatEuros(one)} EUR sent back as ${refundId}`,
    );
    return [difference("payment-refund", orderId, { expected: expected ?? "", found: found ?? "" })];
  });
}

function isSettled(payment: RequestedPaymentState): payment is SettledState {
  return payment.status === "settled" || payment.status === "returned";
}

function settledWords({ providerReference, amountCents }: SettledPayment): string {
  return `${formatEuros(amountCents)} EUR as ${providerReference}`;
}

function wordsOf({
  amountCents,
  currency,
  providerReference,
}: Pick<PaymentMovement, "providerReference" | "amountCents" | "currency">): string {
  return `${formatEuros(amountCents)} ${currency} as ${providerReference}`;
}
