import { z } from "zod";

/** The fields of Stripe's objects that decide about money. An answer without them is unknown. */

const cents = z.number().int();
/** Unix time in seconds. */
const time = z.number().int().nonnegative();
const texts = z.record(z.string(), z.string());

function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item).max(100), has_more: z.boolean() });
}

export const sessionShape = z.object({
  id: z.string(),
  client_reference_id: z.string().nullish(),
  status: z.enum(["open", "complete", "expired"]),
  url: z.string().nullish(),
  amount_total: cents.nullish(),
  currency: z.string().nullish(),
});
export const sessionsShape = listOf(sessionShape);
export type StripeSession = z.output<typeof sessionShape>;

const balanceShape = z.object({ amount: cents, fee: cents, currency: z.string(), available_on: time });
export type StripeBalance = z.output<typeof balanceShape>;

export const chargeShape = z.object({
  id: z.string(),
  amount: cents,
  amount_refunded: cents,
  currency: z.string(),
  status: z.enum(["succeeded", "pending", "failed"]),
  disputed: z.boolean(),
  failure_message: z.string().nullish(),
  metadata: texts,
  payment_method: z.string().nullish(),
  payment_method_details: z
    .object({ card: z.object({ brand: z.string().nullish(), last4: z.string().nullish() }).nullish() })
    .nullish(),
  transfer_group: z.string().nullish(),
  /** Asked for as an object; an event has its id. Absent until Stripe knows its fee. */
  balance_transaction: z.union([balanceShape, z.string()]).nullish(),
});
export const chargesShape = listOf(chargeShape);
export type StripeCharge = z.output<typeof chargeShape>;

export const disputesShape = listOf(
  z.object({ id: z.string(), reason: z.string(), balance_transactions: z.array(balanceShape) }),
);
export type StripeDispute = z.output<typeof disputesShape>["data"][number];

export const refundShape = z.object({
  id: z.string(),
  amount: cents,
  status: z.string().nullish(),
  failure_reason: z.string().nullish(),
  metadata: texts.nullish(),
  balance_transaction: z.union([balanceShape, z.string()]).nullish(),
});
export const refundsShape = listOf(refundShape);
export type StripeRefund = z.output<typeof refundShape>;

/** What a movement of our balance is about: a charge, a refund, a dispute, or something else. */
const sourceShape = z.object({
  id: z.string(),
  object: z.string(),
  transfer_group: z.string().nullish(),
  charge: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  metadata: texts.nullish(),
});
const movementShape = balanceShape.extend({
  id: z.string(),
  created: time,
  type: z.string(),
  /** Asked for as an object; its id if Stripe does not show it. */
  source: z.union([sourceShape, z.string()]).nullish(),
});
export const movementsShape = listOf(movementShape);
export type StripeMovement = z.output<typeof movementShape>;

export const paymentIntentShape = z.object({ id: z.string(), status: z.string() });

export const paymentMethodShape = z.object({ id: z.string(), customer: z.string().nullish() });

export const accountShape = z.object({
  id: z.string(),
  charges_enabled: z.boolean().optional(),
  default_currency: z.string().optional(),
});

/** An event of a webhook. `account` names another account than ours (Connect). */
export const eventShape = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  type: z.string().regex(/^[\x21-\x7e]{1,255}$/),
  livemode: z.boolean(),
  account: z.string().nullish(),
  data: z.object({ object: z.looseObject({ object: z.string() }) }),
});

/** The part of an event's object that names an order: its id, or the charge that has it. */
export const eventSubjectShape = z.object({
  client_reference_id: z.string().nullish(),
  transfer_group: z.string().nullish(),
  charge: z.string().nullish(),
});
