import { z } from "zod";

import { euroAmount } from "./values.schema.ts";

/** Body of every failure. `code` is listed in `docs/reference/errors.md`. */
export const failure = z
  .object({
    status: z.literal(false),
    error: z.string().min(1).meta({ description: "A sentence a person can act on." }),
    code: z
      .string()
      .regex(/^[a-z][a-z_]*$/)
      .meta({ description: "A stable word of the error catalogue." }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: "Messages by field; with `validation_failed`." }),
    required: euroAmount.optional().meta({ description: "Gross euros needed; with `insufficient_balance`." }),
    available: euroAmount
      .optional()
      .meta({ description: "Euros on the balance; with `insufficient_balance`." }),
    scope: z
      .string()
      .optional()
      .meta({ description: "The scope that the API key lacks; with `missing_scope`." }),
    quota: z
      .string()
      .optional()
      .meta({ description: "Name of the quota that is used up; with `quota_exceeded`." }),
    reason: z
      .string()
      .optional()
      .meta({ description: "Why staff hold the server, where they say so; with `server_held`." }),
  })
  .meta({ id: "Failure", description: "The body of every failure." });

export type FailureBody = z.infer<typeof failure>;
