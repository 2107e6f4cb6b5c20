import { z } from "zod";

/** One line of the table, with every sample that it is the median of. */
export const lineSchema = z.object({
  /** What was measured and its unit, for example `64 in flight, appends/s`. */
  subject: z.string(),
  ours: z.array(z.number()),
  baseline: z.object({ name: z.string(), samples: z.array(z.number()) }),
  aim: z.object({ text: z.string(), met: z.boolean() }).optional(),
});

/** What a row of the benchmark came to. */
export const rowResultSchema = z.object({
  lines: z.array(lineSchema),
  /** Sentences under the table: what was counted beside, and where the time goes when an aim is missed. */
  notes: z.array(z.string()),
});

export type Line = z.infer<typeof lineSchema>;
export type RowResult = z.infer<typeof rowResultSchema>;

/** What a line is held to. */
export interface Aim {
  readonly text: string;
  readonly isMet: (ours: number, baseline: number) => boolean;
}

/** At least so much of the baseline, for example 0.6. */
export function shareOfBaseline(share: number): Aim {
  return { text: `≥ ${share.toFixed(2)} × it`, isMet: (ours, baseline) => ours >= share * baseline };
}

/** At most so much of the baseline. */
export function atMostBaseline(share: number): Aim {
  return { text: `≤ ${share.toFixed(2)} × it`, isMet: (ours, baseline) => ours <= share * baseline };
}

/** At least so many a second, whatever the baseline does. */
export function ratePerSecond(rate: number): Aim {
  return { text: `≥ ${rate.toLocaleString("en")}/s`, isMet: (ours) => ours >= rate };
}

/** At most so many milliseconds, whatever the baseline takes. */
export function millisecondsAtMost(milliseconds: number): Aim {
  return { text: `≤ ${String(milliseconds)} ms`, isMet: (ours) => ours <= milliseconds };
}

/** Puts a line together and holds it to its aim. */
export function line(
  subject: string,
  ours: readonly number[],
  baseline: { readonly name: string; readonly samples: readonly number[] },
  aim?: Aim,
): Line {
  const sides = {
    subject,
    ours: [...ours],
    baseline: { name: baseline.name, samples: [...baseline.samples] },
  };
  if (aim === undefined) return sides;
  return { ...sides, aim: { text: aim.text, met: aim.isMet(median(ours), median(baseline.samples)) } };
}

/** The middle one; of an even number the mean of the middle two. @throws RangeError without a value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError("no samples, no median");
  return (lower + upper) / 2;
}

/** How far the samples lie apart, as a share of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}
