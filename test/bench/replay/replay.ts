import { z } from "zod";

/** One pass over the log, as reported by its process. */
export const passSchema = z.object({
  seconds: z.number(),
  events: z.number(),
  /** The most memory that the process has held so far, in bytes. */
  peakBytes: z.number(),
});

export type Pass = z.infer<typeof passSchema>;
