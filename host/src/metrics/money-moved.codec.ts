import type { EventToAppend } from "@hostledger/store";
import { z } from "zod";

/** Money that an event says has moved. */
export interface MoneyMoved {
  readonly kind: "credited" | "adjusted" | "charged" | "refunded" | "paid-out";
  /** Above zero, in both directions. */
  readonly cents: number;
}

const amount = z.object({ amountCents: z.coerce.number() }).transform(({ amountCents }) => amountCents);
const gross = z.object({ grossCents: z.coerce.number() }).transform(({ grossCents }) => grossCents);

/** The events that move a balance, by their type without its version. */
const movements = new Map<string, { readonly kind: MoneyMoved["kind"]; readonly cents: z.ZodType<number> }>([
  ["BalanceCredited", { kind: "credited", cents: amount }],
  ["BalanceAdjusted", { kind: "adjusted", cents: amount.transform(Math.abs) }],
  ["BalancePaidOut", { kind: "paid-out", cents: amount }],
  ["BalanceCharged", { kind: "charged", cents: gross }],
  ["RegistrationRefunded", { kind: "refunded", cents: gross }],
  ["ChargeRefunded", { kind: "refunded", cents: gross }],
  ["RefundGranted", { kind: "refunded", cents: gross }],
]);

/**
 * Returns the balance movements of events. Skips events with unreadable amounts, because a metric must not fail an
 * append.
 */
export function moneyMoved(events: readonly Pick<EventToAppend, "type" | "data">[]): readonly MoneyMoved[] {
  return events.flatMap(({ type, data }) => {
    const movement = movements.get(type.replace(/\.v\d+$/, ""));
    if (movement === undefined) return [];
    const read = movement.cents.safeParse(parsed(data));
    return read.success ? [{ kind: movement.kind, cents: read.data }] : [];
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
