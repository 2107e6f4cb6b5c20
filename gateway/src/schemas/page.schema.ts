import { z } from "zod";

import { integerOfText } from "./values.schema.ts";

const limitRule = "must be an integer from 1 to 1000";
const afterRule = "must be an id: an integer of 0 or more";

/** Which part of a list a client asks for (contract, "Conventions"). Without `limit` and `after` it is all of it. */
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
});

/** What a client asked for. */
export type PageQuery = z.output<typeof pageQuery>;
