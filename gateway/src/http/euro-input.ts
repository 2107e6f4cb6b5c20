import { z } from "zod";

import { otherwise } from "./values.schema.ts";

/** Cents of an amount in euros; undefined with more than two decimals. */
export function centsOf(amount: number): number | undefined {
  const cents = Math.round(amount * 100);
  return cents / 100 === amount ? cents : undefined;
}

/** Returns the schema of an amount of euros in a JSON body, between two limits and with at most two decimals. */
export function euroInput(least: number, most: number): z.ZodNumber {
  const rule = `must be a number of euros from ${least.toFixed(2)} to ${most.toFixed(2)}, with at most two decimals`;
  return z
    .number({ error: otherwise(rule) })
    .min(least, { error: rule })
    .max(most, { error: rule })
    .refine((amount) => centsOf(amount) !== undefined, { error: rule });
}
