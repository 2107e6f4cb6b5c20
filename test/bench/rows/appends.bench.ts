import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";

import { duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { describeThreads } from "../harness/profile.ts";
import { line, shareOfBaseline, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { smallEvent, storeEdge } from "../peers/accounts.ts";
import { openCommitLoop, type CommitLoop } from "../peers/commit-loop.ts";

const widths = [1, 16, 64, 512];
const aim = shareOfBaseline(0.6);

/**
 * (a) Durable appends of one event. Ours: so many appenders, each waiting for its answer before the next, each on a
 * stream of its own at its expected revision. The baseline: a loop on `node:sqlite` that does nothing but insert as
 * many rows into the same tables and COMMIT, with the same settings.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const baselinePath = join(settings.directory, "appends-baseline.sqlite");
  const store = await openEmbeddedEventStore({
    path: join(settings.directory, "appends.sqlite"),
    ...storeEdge,
  });
  // The baseline writes into tables that the engine itself has made.
  await (await openEmbeddedEventStore({ path: baselinePath, ...storeEdge })).close();
  const loop = openCommitLoop(baselinePath, Math.max(...widths));
  const lines: Line[] = [];
  const notes: string[] = [];
  try {
    for (const width of widths) {
      const contender = ours(store, width, pace);
      const { ours: samples, baseline } = await duel(contender, bare(loop, width, pace), pace.rounds);
      const measured = line(
        `${String(width)} in flight, durable appends/s`,
        samples,
        { name: `node:sqlite, ${String(width)} a COMMIT`, samples: baseline },
        aim,
      );
      lines.push(measured);
      if (measured.aim?.met === false) {
        notes.push(`${String(width)} in flight: ${await describeThreads(() => contender.sample())}.`);
      }
    }
  } finally {
    loop.close();
    await store.close();
  }
  return { lines, notes };
}

function ours(store: EventStore, width: number, pace: Pace): Contender {
  const run = randomUUID();
  const last: bigint[] = [];
  return {
    name: "embedded engine",
    sample: () =>
      callsPerSecond(width, pace, async (caller) => {
        const expected = last[caller] ?? "no-stream";
        const { revision } = await store.append(`append-${run}-${String(caller)}`, expected, [
          { id: randomUUID(), ...smallEvent },
        ]);
        last[caller] = revision;
      }),
  };
}

function bare(loop: CommitLoop, width: number, pace: Pace): Contender {
  const row = { id: randomUUID(), time: storeEdge.now(), ...smallEvent };
  return {
    name: "node:sqlite",
    sample: async () => {
      const commits = await callsPerSecond(1, pace, () => {
        loop.commit(width, row);
        return Promise.resolve();
      });
      return commits * width;
    },
  };
}
