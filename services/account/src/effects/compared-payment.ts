import {
  accountAggregate,
  asLine,
  creditDifferences,
  partOfOrder,
  paymentAggregate,
  paymentDifferences,
  type CreditedAccount,
  type Difference,
  type PaymentMovement,
  type RequestedPaymentState,
} from "@hostledger/core";
import type { PaymentStanding, ProviderMovement, Settlement } from "@hostledger/providers";
import type { Installation } from "@hostledger/store";

import { accountOfReference } from "../references.ts";
import { keyOfOrder, type PaymentWorkOptions } from "./payment-work.ts";

/** One payment, compared with what its provider lists. */

export type ComparedPaymentOptions = Pick<PaymentWorkOptions, "accounts" | "clock" | "queries">;

interface ForeignOptions {
  readonly installation: Pick<Installation, "current">;
}

/** Order ids that may be names of streams. */
const orderShape = /^payment-[A-Za-z0-9-]{1,180}$/;

/** True for a text that may be an order id of this installation or of another one. */
export function isOrderId(text: string): boolean {
  return orderShape.test(text);
}

/**
 * Returns true if another installation ordered a payment at the same provider: its id has another random part than ours, and no
 * payment here has it.
 */
export async function isForeignOrder(
  { accounts, installation }: Pick<ComparedPaymentOptions, "accounts"> & ForeignOptions,
  orderId: string,
): Promise<boolean> {
  const part = isOrderId(orderId) ? partOfOrder(orderId) : undefined;
  if (part === undefined || part === (await installation.current())?.part) return false;
  return (await loadPayment({ accounts }, orderId)) === undefined;
}

/** Returns a movement about a payment; undefined for fees and payouts. */
export function paymentMovement(
  movement: ProviderMovement,
): (ProviderMovement & PaymentMovement) | undefined {
  const { kind } = movement;
  return kind === "settlement" || kind === "refund" || kind === "return" ? { ...movement, kind } : undefined;
}

/** Loads a payment; undefined if it was never requested here. @throws UnreadableEventError */
export async function loadPayment(
  { accounts }: Pick<ComparedPaymentOptions, "accounts">,
  orderId: string,
): Promise<RequestedPaymentState | undefined> {
  if (!isOrderId(orderId)) return undefined;
  const { state } = await accounts.commands.load(paymentAggregate, keyOfOrder(orderId));
  return state.status === "absent" ? undefined : state;
}

/**
 * Compares a payment with movements, and with what was credited.
 * @param creditedBefore what was settled later may still be in the work engine, ISO 8601 UTC
 */
export async function lookAtPayment(
  options: ComparedPaymentOptions,
  orderId: string,
  {
    payment,
    movements,
    creditedBefore,
  }: {
    readonly payment: RequestedPaymentState;
    readonly movements: readonly PaymentMovement[];
    readonly creditedBefore: string;
  },
): Promise<readonly Difference[]> {
  const differences = paymentDifferences(orderId, movements, payment);
  if (!("settled" in payment) || payment.settled.settledAt >= creditedBefore) return differences;
  return [...differences, ...creditDifferences(orderId, payment, await findCredit(options, payment))];
}

/** Returns true if a provider's settlement of a payment is the one in the books. */
export function isSameSettlement(
  settlement: Settlement,
  { settled }: Extract<RequestedPaymentState, { readonly settled: unknown }>,
): boolean {
  return (
    settlement.providerReference === settled.providerReference &&
    settlement.amountCents === settled.amountCents
  );
}

/** Describes what a provider has of a payment without money. */
export function wordsOfStanding(
  standing: Exclude<PaymentStanding, { readonly settlement: unknown }>,
): string {
  switch (standing.state) {
    case "none":
      return "no such payment";
    case "pending":
      return "a payment that nobody made yet";
    case "failed":
      return `a payment that failed: ${asLine(standing.message, 300, standing.because)}`;
  }
}

/** Finds who was credited for a settled payment: its account, or another one that has the reference. */
async function findCredit(
  options: ComparedPaymentOptions,
  { requested: { accountId }, settled }: Extract<RequestedPaymentState, { readonly settled: unknown }>,
): Promise<CreditedAccount | undefined> {
  const { providerReference: reference } = settled;
  const own = await creditOn(options, accountId, reference);
  if (own !== undefined) return own;
  const wanted = { kind: "top-up", reference, accountId } as const;
  const owner = await accountOfReference({ ...options, commands: options.accounts.commands }, wanted);
  return owner === undefined ? undefined : creditOn(options, owner, reference);
}

async function creditOn(
  { accounts }: ComparedPaymentOptions,
  accountId: number,
  reference: string,
): Promise<CreditedAccount | undefined> {
  const { state } = await accounts.commands.load(accountAggregate, String(accountId));
  const credit = state.status === "open" ? state.credits.get(reference) : undefined;
  return credit && { accountId, amountCents: credit.amountCents };
}
