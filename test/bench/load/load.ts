import { z } from "zod";

import { startChild } from "../harness/child.ts";
import type { SamplePace } from "../harness/settings.ts";

/** Instructions for the load generator. */
export const loadSchema = z.object({
  port: z.number(),
  /** Connections, each with one request at a time. */
  clients: z.number(),
  warmUpMs: z.number(),
  sampleMs: z.number(),
  /** Every answer must have it. */
  expectedStatus: z.number(),
  /** Sent in turn. */
  apiKeys: z.array(z.string()),
  request: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("get"), path: z.string() }),
    /** Registers `<prefix>-<number>.com`. */
    z.object({ kind: z.literal("register"), prefix: z.string() }),
    /** Renews these servers in turn, each with the key at its index. */
    z.object({ kind: z.literal("renew"), servers: z.array(z.number()).min(1) }),
  ]),
});

export const loadReportSchema = z.object({
  perSecond: z.number(),
  /** Answers in all, those while it warmed up as well. */
  answers: z.int(),
  /** Share of the time in which the generator itself was busy: near 1 it measures itself. */
  busy: z.number(),
  /** The sample on the monotonic clock. */
  startUs: z.number(),
  endUs: z.number(),
});

export type Load = z.infer<typeof loadSchema>;
export type LoadReport = z.infer<typeof loadReportSchema>;

/** The load generator, a process of its own. */
export interface LoadGenerator {
  run(load: Omit<Load, "warmUpMs" | "sampleMs">, pace: SamplePace): Promise<LoadReport>;
  /** The busiest that it was in any sample, from 0 to 1. */
  readonly busiest: number;
  readonly pid: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the generator. */
export function startLoadGenerator(): LoadGenerator {
  const child = startChild(new URL("./load.child.ts", import.meta.url));
  let busiest = 0;
  return {
    pid: child.pid,
    get busiest() {
      return busiest;
    },
    async run(load, { warmUpMs, sampleMs }) {
      const report = loadReportSchema.parse(await child.ask({ ...load, warmUpMs, sampleMs } satisfies Load));
      busiest = Math.max(busiest, report.busy);
      return report;
    },
    [Symbol.asyncDispose]: () => child.stop(),
  };
}
