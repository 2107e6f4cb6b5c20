import { epochMilliseconds } from "@hostledger/core";

import { done, unknown, type Outcome } from "../../outcome.ts";
import {
  movementPageSize,
  type MovementKind,
  type MovementPage,
  type MovementQuestion,
  type ProviderMovement,
} from "../payments.port.ts";
import type { StripeApi, StripeAnswer } from "./stripe-api.ts";
import { chargeShape, movementsShape, type StripeMovement } from "./stripe-objects.codec.ts";
import { dayOf, metadataNames } from "./stripe-standing.ts";

/** Kinds of Stripe's balance transactions. A dispute is an `adjustment`. */
const kinds: Readonly<Record<string, MovementKind>> = {
  charge: "settlement",
  payment: "settlement",
  refund: "refund",
  payment_refund: "refund",
  refund_failure: "refund",
  payment_failure_refund: "return",
  payout: "payout",
  payout_cancel: "payout",
  payout_failure: "payout",
  stripe_fee: "fee",
  stripe_fx_fee: "fee",
  tax_fee: "fee",
};

/** Charges asked about at a time. */
const chargesAtOnce = 8;

/** Maximum characters of an order id; Stripe's own groups of other programs may be longer. */
const longestOrderId = 200;

/**
 * Lists the movements of our balance at Stripe (balance transactions), newest first. Disputes, and refunds that were made by hand, name
 * only their charge, so Stripe is asked for the order of such a charge.
 */
export async function listStripeMovements(
  api: StripeApi,
  { from, to, after }: MovementQuestion,
): Promise<Outcome<MovementPage>> {
  const answer = await api.ask(movementsShape, (stripe) =>
    stripe.balanceTransactions.list({
      created: { gte: secondsOf(from), lt: secondsOf(to) },
      limit: movementPageSize,
      expand: ["data.source"],
      ...(after !== "" && { starting_after: after }),
    }),
  );
  if (answer.outcome !== "done") return answer;
  const { data, has_more: hasMore } = answer.value;
  const last = data.at(-1)?.id ?? "";
  if (hasMore && last === "") return unknown("Stripe says that there is more, and lists nothing.");
  const orders = await ordersOf(api, data);
  if (orders.outcome !== "done") return orders;
  const movements = data.map((transaction) => movementOf(transaction, orders.value));
  return done({ movements, next: hasMore ? last : "" });
}

/** Unix time in seconds; a fraction is rounded up, because Stripe's times are whole seconds. */
function secondsOf(instant: string): number {
  return Math.ceil(epochMilliseconds(instant) / 1_000);
}

/** Finds the order ids of the charges that transactions name without their orders, by the ids of the charges. */
async function ordersOf(
  api: StripeApi,
  transactions: readonly StripeMovement[],
): Promise<Outcome<ReadonlyMap<string, string>>> {
  const orders = new Map<string, string>();
  const asked = new Set<string>();
  for (const transaction of transactions) {
    const source = sourceOf(transaction);
    const charge = chargeOf(transaction);
    if (source?.object === "charge") orders.set(source.id, orderIn(source.transfer_group));
    else if (charge !== "" && source?.metadata?.[metadataNames.order] === undefined) asked.add(charge);
  }
  const missing = [...asked].filter((charge) => !orders.has(charge));
  for (let first = 0; first < missing.length; first += chargesAtOnce) {
    const some = missing.slice(first, first + chargesAtOnce);
    const answers = await Promise.all(some.map((charge) => orderOfCharge(api, charge)));
    for (const [index, charge] of some.entries()) {
      const answer = answers[index] ?? done("");
      if (answer.outcome === "done") orders.set(charge, answer.value);
      // The order decides whose money that is.
      else return unknown(answer.message);
    }
  }
  return done(orders);
}

async function orderOfCharge(api: StripeApi, charge: string): Promise<StripeAnswer<string>> {
  const found = await api.ask(chargeShape, (stripe) => stripe.charges.retrieve(charge));
  if (found.outcome === "done") return done(orderIn(found.value.transfer_group));
  return found.outcome === "refused" && found.code === "resource_missing" ? done("") : found;
}

function movementOf(transaction: StripeMovement, orders: ReadonlyMap<string, string>): ProviderMovement {
  const { id, type, amount, fee, currency, available_on: availableOn, created } = transaction;
  const source = sourceOf(transaction);
  const charge = chargeOf(transaction);
  const kind = source?.object === "dispute" ? "return" : (kinds[type] ?? "other");
  const ownReference = kind === "refund" || charge === "" ? source?.id : charge;
  return {
    id,
    kind,
    orderId: orderIn(source?.metadata?.[metadataNames.order] ?? orders.get(charge)),
    refundId: kind === "refund" ? (source?.metadata?.[metadataNames.refund] ?? "") : "",
    providerReference: ownReference ?? id,
    amountCents: BigInt(amount),
    feeCents: BigInt(fee),
    currency: currency.toUpperCase(),
    valueDate: dayOf(availableOn),
    at: new Date(created * 1_000).toISOString().replace("Z", "000Z"),
  };
}

function sourceOf({ source }: StripeMovement) {
  return typeof source === "object" && source !== null ? source : undefined;
}

/** The charge that a transaction is about; empty for none. */
function chargeOf(transaction: StripeMovement): string {
  const source = sourceOf(transaction);
  if (source?.object === "charge") return source.id;
  const { charge } = source ?? {};
  return (typeof charge === "string" ? charge : charge?.id) ?? "";
}

function orderIn(text: string | null | undefined): string {
  return typeof text === "string" && text.length <= longestOrderId ? text : "";
}
