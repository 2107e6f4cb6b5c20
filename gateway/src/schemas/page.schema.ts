import { z } from "zod";

import { integerOfText } from "./values.schema.ts";

const orders = ["asc", "desc"] as const;
const orderRule = `must be ${orders.join(" or ")}`;
const timeRule = "must be a day such as 2026-11-21, or a time such as 2026-11-21T12:00:00Z";
const timePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z)?$/;

const limitRule = "must be an integer from 1 to 1000";
const afterRule = "must be an id: an integer of 0 or more";

const timeText = (description: string) =>
  z
    .string({ error: timeRule })
    .regex(timePattern, { error: timeRule, abort: true })
    .refine((text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)), { error: timeRule })
    .optional()
    .meta({ description });

/** Returns false for dates that do not exist, such as 31 June. */
function isDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Page of a list (contract, "Conventions"). Without `limit` and `after` the whole list is returned. */
export const pageQuery = z.object({
  limit: z
    .string({ error: limitRule })
    .regex(/^([1-9]\d{0,2}|1000)$/, { error: limitRule, abort: true })
    .transform(Number)
    .optional()
    .meta({ description: "Items of a page, 1 to 1,000.", ...integerOfText(1, 1_000) }),
  after: z
    .string({ error: afterRule })
    .regex(/^(0|[1-9]\d{0,15})$/, { error: afterRule, abort: true })
    .transform((digits) => BigInt(digits))
    .refine((id) => id <= BigInt(Number.MAX_SAFE_INTEGER), { error: afterRule })
    .optional()
    .meta({ description: "The last id of the page before.", ...integerOfText(0, Number.MAX_SAFE_INTEGER) }),
  order: z
    .enum(orders, { error: orderRule })
    .optional()
    .meta({ description: "By id: oldest first (`asc`, as without it) or newest first (`desc`)." }),
});

/** Page and creation times of a list. */
export const listQuery = pageQuery.extend({
  from: timeText("Only what was created on this day (UTC) or later, or at this time or later."),
  to: timeText("Only what was created on this day (UTC) or earlier, or before this time."),
});

/** Returns the filter of a list by status. @param words possible statuses */
export function statusText<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z
    .enum(words, { error: `must be one of ${words.join(", ")}` })
    .optional()
    .meta({ description: "Only what has this status." });
}

/** Returns the filter of a list by name. */
export const nameText = (description: string) =>
  z
    .string({ error: "must be one name" })
    .max(255, { error: "must be at most 255 characters long" })
    .optional()
    .meta({ description });

const dayMs = 86_400_000;

/** Returns the first instant of a day, or a time with six decimals. @param days added to a day */
export function instantOf(text: string, days = 0): string {
  if (!text.includes("T"))
    return `${new Date(Date.parse(text) + days * dayMs).toISOString().slice(0, -1)}000Z`;
  const [seconds, decimals = ""] = text.slice(0, -1).split(".");
  return `${String(seconds)}.${decimals.padEnd(6, "0")}Z`;
}

export type PageQuery = z.output<typeof pageQuery>;
