import { join } from "node:path";

import { alternate } from "../harness/alternate.ts";
import { line, type Aim, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { startProduct } from "../peers/product.ts";
import { fillInstance, letFollow, type Database } from "../replay/filled-instance.ts";

/** Numbers of events in the stores; the smallest is the reference. */
const sizes = { full: [1_000, 100_000, 1_000_000], quick: [200, 1_000] } as const;
const eventsOfDomain = 2;
const limitMs = 3_000;
const aim: Aim = { text: `≤ ${limitMs.toLocaleString("en")} ms`, isMet: (ours) => ours <= limitMs };

/**
 * (m) From the start of `hostledger start` to its first answer, a customer's list, on stores of several sizes: with read models
 * that have followed, and the first time after all those events came in at once, which no read model has yet.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const databases: Database[] = [];
  const behind: number[] = [];
  const counts = settings.quick ? sizes.quick : sizes.full;
  for (const events of counts) {
    const database = await fillInstance(join(settings.directory, String(events)), [
      1,
      events / eventsOfDomain,
    ]);
    databases.push(database);
    behind.push(await firstAnswerMs(database));
    await letFollow(database);
  }
  const contenders = databases.map((database) => ({
    name: database.directory,
    sample: () => firstAnswerMs(database),
  }));
  const followed = await alternate(contenders, settings.quick ? 1 : 5);
  const [few = 0] = counts;
  const name = `${few.toLocaleString("en")} events`;
  return {
    lines: counts.slice(1).flatMap((events, at) => {
      const subject = `${events.toLocaleString("en")} events`;
      const compared = (what: string, ours: readonly number[], samples: readonly number[]) =>
        line(`${subject}, ${what}, first answer, ms`, ours, { name, samples }, aim);
      return [
        compared("followed", followed[at + 1] ?? [], followed[0] ?? []),
        compared("none followed yet", behind.slice(at + 1, at + 2), behind.slice(0, 1)),
      ];
    }),
    notes: ["The lines of events that none followed yet have one sample each."],
  };
}

/** Requests the list of the account with one domain, so that the answer's length does not depend on the store. */
async function firstAnswerMs({ directory, owners }: Database): Promise<number> {
  const startedMs = performance.now();
  await using product = await startProduct(directory);
  const headers = { authorization: owners[0]?.apiKey ?? "" };
  const { status } = await fetch(`${product.baseUrl}/domains`, { headers });
  if (status !== 200) throw new Error(`the first answer of ${directory} was ${String(status)}`);
  return performance.now() - startedMs;
}
