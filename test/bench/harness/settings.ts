import { z } from "zod";

/** How a run is made: what `run.ts` tells the process of each row. */
export const settingsSchema = z.object({
  /** A smoke run: everything happens, nothing is measured well. */
  quick: z.boolean(),
  /** An empty directory on the disk that is measured; removed after the run. */
  directory: z.string(),
  /** The largest store of the row `growth`, in events. */
  events: z.int().positive().optional(),
  /** The file into which the row `growth` draws its curves. */
  svg: z.string().optional(),
});

export type Settings = z.infer<typeof settingsSchema>;

/** How long a sample takes, and what comes before it and does not count. */
export interface SamplePace {
  readonly warmUpMs: number;
  readonly sampleMs: number;
}

/** Samples of each side, and how long one takes. */
export interface Pace extends SamplePace {
  readonly rounds: number;
}

/**
 * The pace of rows that run for a time. Many short samples rather than three long ones: what else the machine does
 * comes in bursts, and the median leaves a burst out only if it is shorter than half of the samples.
 */
export function paceOf({ quick }: Settings): Pace {
  return quick ? { rounds: 1, warmUpMs: 50, sampleMs: 150 } : { rounds: 7, warmUpMs: 200, sampleMs: 800 };
}

/**
 * The pace of what a program is asked before it is measured, and which counts for nothing: V8 compiles what is used often only
 * after some thousand requests, and what was just started is no deployment that anybody has.
 *
 * @param processes between whom the load is shared.
 */
export function runInOf(settings: Settings, processes = 1): SamplePace {
  return { warmUpMs: settings.quick ? 0 : processes * 5_000, sampleMs: paceOf(settings).sampleMs };
}
