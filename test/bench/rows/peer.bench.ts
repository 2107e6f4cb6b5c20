import { join } from "node:path";

import { createCommandHandler, openEmbeddedEventStore } from "@hostledger/store";

import { duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { describeThreads } from "../harness/profile.ts";
import { line, shareOfBaseline, type RowResult } from "../harness/result.ts";
import { paceOf, type Settings } from "../harness/settings.ts";
import { charge, openAccounts, storeEdge, type CommandSink } from "../peers/accounts.ts";
import { startEmmett } from "../peers/emmett.ts";

const callers = 64;
const aim = shareOfBaseline(5);

/**
 * (f) The same charge with the same check, decider and durability, in process: ours on the embedded engine, and
 * Emmett's command handler on PostgreSQL, a likely choice of a TypeScript team today.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const count = settings.quick ? 100 : 1_000;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const store = await openEmbeddedEventStore({ path: join(settings.directory, "peer.sqlite"), ...storeEdge });
  try {
    await using emmett = await startEmmett(join(settings.directory, "postgres"));
    const ours = createCommandHandler({ store, recordedBy: "bench" });
    await openAccounts(ours, ids);
    await openAccounts(emmett, ids, 32);
    const contender = (name: string, sink: CommandSink): Contender => ({
      name,
      sample: () =>
        callsPerSecond(callers, pace, (_caller, number) => charge(sink, ids[number % count] ?? 1)),
    });
    const own = contender("ours", ours);
    const samples = await duel(own, contender("emmett", emmett), pace.rounds);
    const subject = `${count.toLocaleString("en")} accounts, ${String(callers)} callers`;
    const measured = line(
      `${subject}, charges/s`,
      samples.ours,
      { name: "Emmett on PostgreSQL", samples: samples.baseline },
      aim,
    );
    const notes = [`PostgreSQL ${emmett.settings}.`];
    if (measured.aim?.met === false) {
      notes.push(`${subject}: on our side ${await describeThreads(() => own.sample())}.`);
    }
    return { lines: [measured], notes };
  } finally {
    await store.close();
  }
}
