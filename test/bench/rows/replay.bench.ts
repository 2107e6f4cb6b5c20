import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { duel } from "../harness/alternate.ts";
import { startChild, type Child } from "../harness/child.ts";
import { atMostBaseline, line, ratePerSecond, type Line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { writeHistory } from "../replay/history.ts";
import { passSchema, type Pass } from "../replay/replay.ts";

const sizes = [100_000, 1_000_000];
const quickSizes = [5_000, 15_000];
const rateAim = ratePerSecond(100_000);

/** Flat: ten times the events may cost a quarter more at most, for SQLite's and V8's own caches. */
const memoryAim = atMostBaseline(1.25);

/**
 * (e) A full rebuild of all read models of both services, against a loop that only reads the same file and parses
 * every event; and the memory that the rebuilding process holds, at ten times the events against that at one.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const rounds = settings.quick ? 1 : 3;
  const [small = 0, large = 0] = settings.quick ? quickSizes : sizes;
  const first = await replay(settings, small, rounds);
  const second = await replay(settings, large, rounds);
  const memory = line(
    `${second.subject}, peak resident memory, MB`,
    second.peakMegabytes,
    { name: first.subject, samples: first.peakMegabytes },
    memoryAim,
  );
  return { lines: [first.rate, second.rate, memory], notes: [...first.notes, ...second.notes] };
}

interface Replayed {
  readonly subject: string;
  readonly rate: Line;
  readonly peakMegabytes: readonly number[];
  readonly notes: readonly string[];
}

async function replay({ directory }: Settings, events: number, rounds: number): Promise<Replayed> {
  const own = join(directory, String(events));
  mkdirSync(own);
  const path = join(own, "events.sqlite");
  const stored = await writeHistory(path, events);
  await using services = startChild(new URL("../replay/rebuild.child.ts", import.meta.url), [path, own]);
  await using reader = startChild(new URL("../replay/bare-read.child.ts", import.meta.url), [path]);
  const peakMegabytes: number[] = [];
  const { ours, baseline } = await duel(
    {
      name: "rebuild",
      sample: async () => {
        const pass = await passOf(services);
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
    rounds,
  );
  const subject = `${stored.toLocaleString("en")} events`;
  const rate = line(
    `${subject}, rebuilt events/s`,
    ours,
    { name: "read and JSON.parse", samples: baseline },
    rateAim,
  );
  const notes = rate.aim?.met === false ? [await explain(services, subject)] : [];
  return { subject, rate, peakMegabytes, notes };
}

async function passOf(child: Child): Promise<Pass> {
  return passSchema.parse(await child.ask({ profile: false }));
}

async function explain(child: Child, subject: string): Promise<string> {
  const shares = z.string().parse(await child.ask({ profile: true }));
  return `${subject}: the rebuilding thread's time: ${shares}.`;
}
