import { join } from "node:path";

import { z } from "zod";

import { duel } from "../harness/alternate.ts";
import { startChild, type Child } from "../harness/child.ts";
import { atMostBaseline, line, ratePerSecond, type Line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { writeAuditBundle } from "../replay/audit-bundle.ts";
import { passSchema, type Pass } from "../replay/replay.ts";

const sizes = [250_000, 1_000_000];
const quickSizes = [5_000, 20_000];
const rateAim = ratePerSecond(60_000);

/** Flat: four times the events may cost a quarter more at most, for V8's own idea of when to tidy up. */
const memoryAim = atMostBaseline(1.25);

/**
 * `hostledger audit verify` of a bundle, against a loop that only reads, hashes and parses every event; and the memory of
 * the verifying process, at four times the events against that at one.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const rounds = settings.quick ? 1 : 3;
  const [small = 0, large = 0] = settings.quick ? quickSizes : sizes;
  const first = await verify(settings, small, rounds);
  const second = await verify(settings, large, rounds);
  const memory = line(
    `${second.subject}, peak resident memory, MB`,
    second.peakMegabytes,
    { name: first.subject, samples: first.peakMegabytes },
    memoryAim,
  );
  return { lines: [first.rate, second.rate, memory], notes: [...first.notes, ...second.notes] };
}

interface Verified {
  readonly subject: string;
  readonly rate: Line;
  readonly peakMegabytes: readonly number[];
  readonly notes: readonly string[];
}

async function verify({ directory }: Settings, events: number, rounds: number): Promise<Verified> {
  const bundle = join(directory, `bundle-${String(events)}`);
  const stored = await writeAuditBundle(bundle, events);
  await using verifier = startChild(new URL("../replay/verify.child.ts", import.meta.url), [bundle]);
  await using reader = startChild(new URL("../replay/bare-verify.child.ts", import.meta.url), [bundle]);
  const peakMegabytes: number[] = [];
  const { ours, baseline } = await duel(
    {
      name: "verify",
      sample: async () => {
        const pass = await passOf(verifier);
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
    `${subject}, verified events/s`,
    ours,
    { name: "read, SHA-256 and JSON.parse", samples: baseline },
    rateAim,
  );
  const notes =
    rate.aim?.met === false
      ? [`${subject}: ${z.string().parse(await verifier.ask({ profile: true }))}.`]
      : [];
  return { subject, rate, peakMegabytes, notes };
}

async function passOf(child: Child): Promise<Pass> {
  return passSchema.parse(await child.ask({ profile: false }));
}
