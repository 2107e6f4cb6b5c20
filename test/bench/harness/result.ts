import { z } from "zod";

/** A line of the table, with all samples of its median. */
export const lineSchema = z.object({
  /** Subject and unit, for example `64 in flight, appends/s`. */
  subject: z.string(),
  ours: z.array(z.number()),
  baseline: z.object({ name: z.string(), samples: z.array(z.number()) }),
  aim: z.object({ text: z.string(), met: z.boolean() }).optional(),
});

/** Result of a benchmark row. */
export const rowResultSchema = z.object({
  lines: z.array(lineSchema),
  /** Sentences under the table: further counts, and where the time goes if an aim is missed. */
  notes: z.array(z.string()),
});

export type Line = z.infer<typeof lineSchema>;
export type RowResult = z.infer<typeof rowResultSchema>;

/** Aim of a line. */
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

/** Aims at least at this rate per second, independent of the baseline. */
export function ratePerSecond(rate: number): Aim {
  return { text: `≥ ${rate.toLocaleString("en")}/s`, isMet: (ours) => ours >= rate };
}

/** Aims at most at these milliseconds, independent of the baseline. */
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

/** Returns the range of the samples, as a share of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}
