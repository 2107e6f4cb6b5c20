import { z } from "zod";

/** Field shapes that stored events share: JSON primitives only. */

/** Integer cents (EUR) as a decimal string, so that no reader loses precision. */
export const centsField = z.string().regex(/^-?\d{1,18}$/);

/** ISO 8601 UTC with six fractional digits and `Z`. */
export const instantField = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);

/** A positive integer id. */
export const idField = z.int().positive();

/**
 * A text about a person, up to a limit. In the store it is sealed (docs/erasure.md), which makes it longer; readers that do
 * not hold the person's key carry it on as it is.
 */
export function personalField(limit: number): z.ZodType<string> {
  return z.union([z.string().max(limit), z.string().regex(/^sealed:v1:[A-Za-z]+-\d+:[A-Za-z0-9_-]+$/)]);
}

/** A text with a limit: no fact grows without bound. */
export const textField = z.string().max(1_000);
