import { join } from "node:path";

import { createCommandHandler, openEmbeddedEventStore, type CommandHandler } from "@hostledger/store";

import { duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { describeThreads } from "../harness/profile.ts";
import { line, ratePerSecond, type Aim, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { charge, openAccounts, storeEdge, type CommandSink } from "../peers/accounts.ts";
import { createNaiveHandler, type NaiveHandler } from "../peers/naive-handler.ts";

const callerCounts = [64, 256];
const rateAim = ratePerSecond(40_000);

/**
 * (b) Charges with their check, in process and durable: all callers on one account, and on 10,000 accounts in turn.
 * The baseline is common optimistic concurrency: decide, append, and after a conflict read and decide again.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const streams = settings.quick ? 200 : 10_000;
  const path = join(settings.directory, "commands.sqlite");
  const store = await openEmbeddedEventStore({ path, ...storeEdge });
  try {
    const actors = createCommandHandler({ store, recordedBy: "bench" });
    const naive = createNaiveHandler(store);
    const take = accountNumbers();
    const many = { actors: take(streams), naive: take(streams) };
    await openAccounts(actors, [...many.actors, ...many.naive]);

    const lines: Line[] = [];
    const notes: string[] = [];
    for (const callers of callerCounts) {
      // A new account for each sample: the state of the hot one is then never larger than a sample makes it.
      const fresh = (): Promise<readonly number[]> => openAccounts(actors, take(1));
      const hot: Shape = { name: "one hot stream", actors: fresh, naive: fresh };
      const wide: Shape = {
        name: `${streams.toLocaleString("en")} streams`,
        actors: () => Promise.resolve(many.actors),
        naive: () => Promise.resolve(many.naive),
      };
      for (const shape of [hot, wide]) {
        const result = await measureShape({ actors, naive }, shape, callers, pace);
        lines.push(result.line);
        notes.push(...result.notes);
      }
    }
    return { lines, notes };
  } finally {
    await store.close();
  }
}

interface Sides {
  readonly actors: CommandHandler;
  readonly naive: NaiveHandler;
}

/** Accounts that each side charges in a sample. */
interface Shape {
  readonly name: string;
  readonly actors: () => Promise<readonly number[]>;
  readonly naive: () => Promise<readonly number[]>;
}

async function measureShape(
  { actors, naive }: Sides,
  shape: Shape,
  callers: number,
  pace: Pace,
): Promise<{ readonly line: Line; readonly notes: readonly string[] }> {
  const ours = contender("actors", actors, shape.actors, callers, pace);
  const theirs = contender("naive", naive, shape.naive, callers, pace);
  const before = actors.statistics();
  naive.resetCounters();
  const samples = await duel(ours, theirs, pace.rounds);
  const { commands, conflicts } = actors.statistics();
  const met: Aim = {
    text: `${rateAim.text}, no conflict`,
    isMet: (rate, other) => rateAim.isMet(rate, other) && conflicts === before.conflicts,
  };
  const subject = `${shape.name}, ${String(callers)} callers`;
  const baseline = { name: "decide, append, retry", samples: samples.baseline };
  const measured = line(`${subject}, commands/s`, samples.ours, baseline, met);
  const counted = conflictsIn(commands - before.commands, conflicts - before.conflicts);
  const notes = [
    `${subject}: ${counted}; the baseline ${conflictsIn(naive.counters.commands, naive.counters.conflicts)}.`,
  ];
  if (measured.aim?.met === false) notes.push(`${subject}: ${await describeThreads(() => ours.sample())}.`);
  return { line: measured, notes };
}

function contender(
  name: string,
  sink: CommandSink,
  accountsOf: () => Promise<readonly number[]>,
  callers: number,
  pace: Pace,
): Contender {
  return {
    name,
    sample: async () => {
      const accounts = await accountsOf();
      return callsPerSecond(callers, pace, (_caller, number) =>
        charge(sink, accounts[number % accounts.length] ?? 0),
      );
    },
  };
}

/** Gives out account numbers, each once. */
function accountNumbers(): (count: number) => readonly number[] {
  let last = 0;
  return (count) => Array.from({ length: count }, () => (last += 1));
}

function conflictsIn(commands: number, conflicts: number): string {
  return `${conflicts.toLocaleString("en")} conflicts in ${commands.toLocaleString("en")} commands`;
}
