import { z } from "zod";

import { duel } from "../harness/alternate.ts";
import { startChild, type Child } from "../harness/child.ts";
import { atMostBaseline, line, type Aim, type Line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { passSchema, type Pass } from "./replay.ts";

/** A reading of a whole log that is measured at two sizes, against a loop that only reads the same. */
export interface WholeReading {
  /** Events of the two logs, and of those of a quick run. */
  readonly sizes: readonly [number, number];
  readonly quickSizes: readonly [number, number];
  /** Writes a log of about so many events. @returns its number of events, and the arguments of both programs. */
  prepare(
    directory: string,
    events: number,
  ): Promise<{ readonly stored: number; readonly ours: readonly string[]; readonly bare: readonly string[] }>;
  readonly ours: { readonly program: URL; readonly name: string; readonly unit: string };
  readonly bare: { readonly program: URL; readonly name: string };
  readonly rateAim: Aim;
  /** Program to profile if the run misses its aim. */
  readonly profileOf: string;
}

/** Flat: the larger log may cost a quarter more at most, for caches and for V8's own idea of when to tidy up. */
const memoryAim = atMostBaseline(1.25);

/** The rates at both sizes, and the memory that the process holds at the larger against that at the smaller. */
export async function measureTwoSizes(settings: Settings, reading: WholeReading): Promise<RowResult> {
  const [small, large] = settings.quick ? reading.quickSizes : reading.sizes;
  const first = await measureOne(settings, reading, small);
  const second = await measureOne(settings, reading, large);
  const memory = line(
    `${second.subject}, peak resident memory, MB`,
    second.peakMegabytes,
    { name: first.subject, samples: first.peakMegabytes },
    memoryAim,
  );
  return { lines: [first.rate, second.rate, memory], notes: [...first.notes, ...second.notes] };
}

interface Measured {
  readonly subject: string;
  readonly rate: Line;
  readonly peakMegabytes: readonly number[];
  readonly notes: readonly string[];
}

/** The rate at one size. */
export async function measureOne(
  { directory, quick }: Settings,
  { prepare, ours: own, bare, rateAim, profileOf }: Omit<WholeReading, "sizes" | "quickSizes">,
  events: number,
): Promise<Measured> {
  const prepared = await prepare(directory, events);
  await using program = startChild(own.program, prepared.ours);
  await using reader = startChild(bare.program, prepared.bare);
  const peakMegabytes: number[] = [];
  const { ours, baseline } = await duel(
    {
      name: own.name,
      sample: async () => {
        const pass = await passOf(program);
        peakMegabytes.push(pass.peakBytes / 2 ** 20);
        return pass.events / pass.seconds;
      },
    },
    {
      name: "read",
      sample: async () => {
        const pass = await passOf(reader);
        return pass.events / pass.seconds;
      },
    },
    quick ? 1 : 3,
  );
  const subject = `${prepared.stored.toLocaleString("en")} events`;
  const rate = line(`${subject}, ${own.unit}`, ours, { name: bare.name, samples: baseline }, rateAim);
  const notes =
    rate.aim?.met === false
      ? [`${subject}: ${profileOf}${z.string().parse(await program.ask({ profile: true }))}.`]
      : [];
  return { subject, rate, peakMegabytes, notes };
}

async function passOf(child: Child): Promise<Pass> {
  return passSchema.parse(await child.ask({ profile: false }));
}
