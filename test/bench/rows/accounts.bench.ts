import { join } from "node:path";

import { accountSnapshots } from "@hostledger/core";
import { createCommandHandler, openEmbeddedEventStore, openSqliteSnapshots } from "@hostledger/store";

import { duel, type Contender } from "../harness/alternate.ts";
import { startChild } from "../harness/child.ts";
import { atMostBaseline, line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { accounts, charge, openAccounts, storeEdge, type CommandSink } from "../peers/accounts.ts";
import { passSchema } from "../replay/replay.ts";

const accountId = 1;

/** Charges that wait on the account at a time. */
const callers = 2_000;

/**
 * (i) Loading one account with very many events, in a process that has just started: from its snapshot and the events
 * after it, as the last charges have left it, against all its events. And the memory that such a process comes to.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const charges = settings.quick ? 8_000 : 499_998;
  const files = {
    store: join(settings.directory, "accounts.sqlite"),
    snapshots: join(settings.directory, "snapshots.sqlite"),
  };
  const filled = await fill(files, charges);
  const kept = loading("snapshot", [files.store, String(accountId), files.snapshots]);
  const folded = loading("full", [files.store, String(accountId)]);
  const samples = await duel(kept.contender, folded.contender, settings.quick ? 1 : 3);
  const subject = `an account of ${filled.events.toLocaleString("en")} events`;
  const baseline = (values: readonly number[]) => ({ name: "all events folded", samples: values });
  return {
    lines: [
      line(`${subject}, load, ms`, samples.ours, baseline(samples.baseline), atMostBaseline(0.5)),
      line(`${subject}, peak resident memory, MB`, kept.peakMegabytes, baseline(folded.peakMegabytes)),
    ],
    notes: [
      `${subject}: the snapshot is of event ${filled.keptAt.toLocaleString("en")}; the charges were written at ${Math.round(filled.chargesPerSecond).toLocaleString("en")} a second while snapshots were taken, the longest turn of the event loop was ${filled.longestTurnMs.toFixed(0)} ms.`,
    ],
  };
}

interface Filled {
  readonly events: number;
  readonly keptAt: number;
  readonly chargesPerSecond: number;
  readonly longestTurnMs: number;
}

/** Charges an account so many times, with snapshots as a service takes them. */
async function fill(
  files: { readonly store: string; readonly snapshots: string },
  charges: number,
): Promise<Filled> {
  const store = await openEmbeddedEventStore({ path: files.store, ...storeEdge });
  const snapshots = openSqliteSnapshots({ path: files.snapshots });
  const handler = createCommandHandler({ store, recordedBy: "bench", snapshots: { snapshots } });
  const aggregate = { ...accounts, snapshots: accountSnapshots };
  const sink: CommandSink = {
    execute: (_accounts, id, command, context) => handler.execute(aggregate, id, command, context),
  };
  await openAccounts(sink, [accountId]);
  const turns = watchTurns();
  const startMs = performance.now();
  let left = charges;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0) {
        left -= 1;
        await charge(sink, accountId);
      }
    }),
  );
  const seconds = (performance.now() - startMs) / 1_000;
  const longestTurnMs = turns();
  const { revision = -1n } = await handler.load(aggregate, String(accountId));
  // Saves come one after the other, so after this one the account's is done.
  await snapshots.save("none-1", { version: 0, revision: 0n, position: 0n, eventId: "" }, []);
  const kept = await snapshots.load(`account-${String(accountId)}`);
  await snapshots.close();
  await store.close();
  return {
    events: Number(revision) + 1,
    keptAt: Number(kept?.revision ?? -1n) + 1,
    chargesPerSecond: charges / seconds,
    longestTurnMs,
  };
}

/** Watches how long the event loop is away from a timer. @returns ends it and says the longest, in milliseconds */
function watchTurns(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function loading(
  name: string,
  args: readonly string[],
): { readonly contender: Contender; readonly peakMegabytes: number[] } {
  const peakMegabytes: number[] = [];
  const sample = async (): Promise<number> => {
    await using child = startChild(new URL("../peers/account-load.child.ts", import.meta.url), args);
    const { seconds, peakBytes } = passSchema.parse(await child.ask({}));
    peakMegabytes.push(peakBytes / 2 ** 20);
    return seconds * 1_000;
  };
  return { contender: { name, sample }, peakMegabytes };
}
