import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { openEventStoreDb } from "@hostledger/esdb";
import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import { z } from "zod";

import { duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { startChild } from "../harness/child.ts";
import { describeThreads } from "../harness/profile.ts";
import { line, ratePerSecond, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { smallEvent, storeEdge } from "../peers/accounts.ts";

/** Appends per second of a real EventStoreDB 23.10 on a machine with two cores, by appends in flight. */
const realServer: readonly (readonly [width: number, appendsPerSecond: number])[] = [
  [1, 241],
  [16, 1_079],
  [64, 2_152],
];

/** Three times the read rate of the real server's client on that machine. */
const readAim = ratePerSecond(40_000);

/**
 * (h) The adapter for EventStoreDB over the node, which is a process of its own. Appends: so many appenders, each waiting for
 * its answer before the next, each on a stream of its own at its expected revision. Reading: a catch-up subscription to all
 * streams from the start to the end. The baseline does the same to the embedded engine in this process, without a protocol.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const path = (name: string): string => join(settings.directory, name);
  await using child = startChild(new URL("../peers/node.child.ts", import.meta.url), [path("node.sqlite")]);
  const connectionString = z.string().parse(await child.ask({}));
  const remote = await openEventStoreDb({ connectionString });
  const local = await openEmbeddedEventStore({ path: path("local.sqlite"), ...storeEdge });
  const notes: string[] = [];
  const lines: Line[] = [];
  const compare = async (
    subject: string,
    aim: ReturnType<typeof ratePerSecond>,
    contenderOf: (store: EventStore) => Contender,
  ): Promise<void> => {
    const ours = contenderOf(remote);
    const samples = await duel(ours, contenderOf(local), pace.rounds);
    const measured = line(
      subject,
      samples.ours,
      { name: "embedded engine in process", samples: samples.baseline },
      aim,
    );
    lines.push(measured);
    if (measured.aim?.met === false)
      notes.push(`${subject}: in this process ${await describeThreads(() => ours.sample())}.`);
  };
  try {
    for (const [width, rate] of realServer)
      await compare(`${String(width)} in flight, appends/s`, ratePerSecond(rate), (store) =>
        appending(store, width, pace),
      );
    const count = settings.quick ? 5_000 : 100_000;
    for (const store of [remote, local]) await fill(store, count);
    await compare("all streams from the start, events/s", readAim, reading);
  } finally {
    await remote.close();
    await local.close();
  }
  return { lines, notes };
}

function appending(store: EventStore, width: number, pace: Pace): Contender {
  const run = randomUUID();
  const last: bigint[] = [];
  return {
    name: "appends",
    sample: () =>
      callsPerSecond(width, pace, async (caller) => {
        const { revision } = await store.append(
          `append-${run}-${String(caller)}`,
          last[caller] ?? "no-stream",
          [{ id: randomUUID(), ...smallEvent }],
        );
        last[caller] = revision;
      }),
  };
}

/** Writes so many events in streams of a thousand. */
async function fill(store: EventStore, count: number): Promise<void> {
  for (let stream = 0; stream < count / 1_000; stream += 1) {
    const events = Array.from({ length: 1_000 }, () => ({ id: randomUUID(), ...smallEvent }));
    await store.append(`fill-${String(stream)}`, "no-stream", events);
  }
}

function reading(store: EventStore): Contender {
  return {
    name: "reading",
    async sample() {
      const startMs = performance.now();
      let events = 0;
      for await (const batch of store.subscribe({ from: "start" })) {
        events += batch.events.length;
        if (batch.caughtUp) break;
      }
      return (events * 1_000) / (performance.now() - startMs);
    },
  };
}
