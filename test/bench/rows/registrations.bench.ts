import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { readMetadata } from "@hostledger/store";

import { alternate, type Contender } from "../harness/alternate.ts";
import { startChild } from "../harness/child.ts";
import { line, ratePerSecond, shareOfBaseline, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, runInOf, type Pace, type SamplePace, type Settings } from "../harness/settings.ts";
import { percent } from "../harness/table.ts";
import { startLoadGenerator, type Load, type LoadGenerator } from "../load/load.ts";
import { profileProduct } from "../peers/product-profile.ts";
import { openCustomers, startProduct } from "../peers/product.ts";
import { listeningSchema } from "../peers/static-answers.ts";

/** By the number of clients. One waits for every sync of a registration in turn: 6 ms for each. */
const rateAims = new Map([
  [1, ratePerSecond(167)],
  [16, ratePerSecond(800)],
  [64, ratePerSecond(1_500)],
]);
const oneAccountAim = shareOfBaseline(0.6);

/**
 * (c) Whole registrations through REST, sandbox latency 0: on many accounts beside an Express handler that does one
 * durable append for each request, and on one account beside many.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const pace = paceOf(settings);
  const accounts = settings.quick ? 4 : 200;
  await using generator = startLoadGenerator();
  await using product = await startProduct(join(settings.directory, "product"));
  await using express = startChild(new URL("../peers/express-append.child.ts", import.meta.url), [
    settings.directory,
  ]);
  const { port: expressPort } = listeningSchema.parse(await express.ask({}));
  const apiKeys = (await openCustomers(product, accounts)).map(({ apiKey }) => apiKey);

  const manyName = `${String(accounts)} accounts`;
  const lines: Line[] = [];
  for (const port of [product.port, expressPort])
    await register(generator, { port, apiKeys, clients: 16 }, runInOf(settings));
  for (const [clients, rateAim] of rateAims) {
    const contender = (name: string, port: number, keys: readonly string[]): Contender => ({
      name,
      sample: async () => (await register(generator, { port, apiKeys: [...keys], clients }, pace)).perSecond,
    });
    const contenders = [
      contender(manyName, product.port, apiKeys),
      contender("one account", product.port, apiKeys.slice(0, 1)),
      contender("express", expressPort, apiKeys.slice(0, 1)),
    ];
    const [many = [], one = [], bare = []] = await alternate(contenders, pace.rounds);
    const unit = `${String(clients)} client${clients === 1 ? "" : "s"}, registrations/s`;
    lines.push(
      line(`${manyName}, ${unit}`, many, { name: "Express, one durable append", samples: bare }, rateAim),
      line(`one account, ${unit}`, one, { name: manyName, samples: many }, oneAccountAim),
    );
  }
  lines.push(metadataLine(join(settings.directory, "product", "data")));
  const notes = [`The load generator was busy for at most ${percent(generator.busiest)} of a sample.`];
  if (lines.some(({ aim }) => aim?.met === false)) notes.push(...(await explain(settings, pace, generator)));
  return { lines, notes };
}

/** Returns the average bytes of metadata per registration event, and the average if every member were written. */
function metadataLine(data: string): Line {
  const store = new DatabaseSync(join(data, "events.sqlite"), { readOnly: true });
  try {
    const stored = store
      .prepare("SELECT CAST(metadata AS TEXT) AS metadata FROM events")
      .all()
      .map(({ metadata }) => String(metadata));
    const average = (texts: readonly string[]): number =>
      texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / texts.length;
    const inFull = stored.map((text) => JSON.stringify(readMetadata(text)));
    return line(
      "metadata of an event, bytes",
      [average(stored)],
      { name: "every member written", samples: [average(inFull)] },
      undefined,
    );
  } finally {
    store.close();
  }
}

let runs = 0;

function register(
  generator: LoadGenerator,
  load: Pick<Load, "port" | "apiKeys" | "clients">,
  pace: SamplePace,
): ReturnType<LoadGenerator["run"]> {
  runs += 1;
  const request = { kind: "register", prefix: `bench-${String(runs)}` } as const;
  return generator.run({ ...load, expectedStatus: 201, request }, pace);
}

async function explain(
  { directory, quick }: Settings,
  pace: Pace,
  generator: LoadGenerator,
): Promise<readonly string[]> {
  const clients = Math.max(...rateAims.keys());
  const places = await profileProduct(join(directory, "profiled"), async (product) => {
    const customers = await openCustomers(product, quick ? 4 : 50);
    const apiKeys = customers.map(({ apiKey }) => apiKey);
    return register(generator, { port: product.port, apiKeys, clients }, pace);
  });
  return places.map((place) => `${String(clients)} clients, ${place}.`);
}
