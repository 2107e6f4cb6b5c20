import { z } from "zod";

/** Settings of a run, which `run.ts` passes to each row's process. */
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

/** Durations of a sample and of its warm-up. */
export interface SamplePace {
  readonly warmUpMs: number;
  readonly sampleMs: number;
}

/** Samples of each side, and how long one takes. */
export interface Pace extends SamplePace {
  readonly rounds: number;
}

/**
 * Returns the pace of timed rows. Many short samples are used, because other load comes in bursts, and the median
 * ignores a burst only if it affects less than half of the samples.
 */
export function paceOf({ quick }: Settings): Pace {
  return quick ? { rounds: 1, warmUpMs: 50, sampleMs: 150 } : { rounds: 7, warmUpMs: 200, sampleMs: 800 };
}

/**
 * Returns the pace of the uncounted warm-up: V8 compiles hot code only after some thousand requests, and deployments
 * are not freshly started.
 * @param processes that share the load.
 */
export function runInOf(settings: Settings, processes = 1): SamplePace {
  return { warmUpMs: settings.quick ? 0 : processes * 5_000, sampleMs: paceOf(settings).sampleMs };
}
