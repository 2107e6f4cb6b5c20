import { z } from "zod";

/** What the handler that reads rows needs to know. */
export const rowServerSchema = z.object({
  /** File of the domain service's read models, in which the product goes on writing. */
  database: z.string(),
  apiKey: z.string(),
  accountId: z.number(),
  /** Those of the product's own answer, but for its length. */
  headers: z.record(z.string(), z.string()),
});

export type RowServer = z.infer<typeof rowServerSchema>;
