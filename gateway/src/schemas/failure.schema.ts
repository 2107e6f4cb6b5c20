import { z } from "zod";

import { euroAmount } from "./values.schema.ts";

/** The body of every failure. `code` is a word of `docs/errors.md`. */
export const failure = z.object({
  status: z.literal(false),
  error: z.string().min(1),
  code: z.string().regex(/^[a-z][a-z_]*$/),
  /** Messages by field; with `validation_failed`. */
  errors: z.record(z.string(), z.array(z.string())).optional(),
  /** Gross euros needed; with `insufficient_balance`. */
  required: euroAmount.optional(),
  /** Euros on the balance; with `insufficient_balance`. */
  available: euroAmount.optional(),
});

/** The body of a failure. */
export type FailureBody = z.infer<typeof failure>;
