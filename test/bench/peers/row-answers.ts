import { z } from "zod";

/** Options of the handler that reads rows. */
export const rowServerSchema = z.object({
  /** File of the domain service's read models, in which the product goes on writing. */
  database: z.string(),
  apiKey: z.string(),
  accountId: z.number(),
  /** Headers of the product's own answer, except for its length. */
  headers: z.record(z.string(), z.string()),
});

export type RowServer = z.infer<typeof rowServerSchema>;
