import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { filesBelow } from "../../support/files-below.ts";
import { growthChart } from "../harness/growth-chart.ts";
import { line, median, type Aim, type Line, type RowResult } from "../harness/result.ts";
import type { Settings } from "../harness/settings.ts";
import { startProduct, type Product } from "../peers/product.ts";
import { fillInstance, letFollow, type Database } from "../replay/filled-instance.ts";

/** Sizes in events; the first is the reference. */
const sizes = { full: [10_000, 100_000, 1_000_000, 10_000_000], quick: [200, 1_000] } as const;
const eventsUnlessAsked = 1_000_000;
const eventsOfDomain = 2;
/** Accounts that the domains belong to in equal parts. */
const ownersOfAll = 100;
/** The time limit of the command line. */
const rebuildLimitMs = 3_600_000;

/** A measured quantity, and its allowed growth: a few index levels, but nothing proportional to the events. */
interface Measure {
  readonly what: string;
  readonly aim: Aim;
}
const timesTheFewest = (factor: number): Aim => ({
  text: `≤ ${factor.toFixed(2)} × it`,
  isMet: (ours, fewest) => ours <= factor * fewest,
});
const flat = timesTheFewest(1.5);
const measures = {
  bytes: { what: "bytes on disk for each event", aim: timesTheFewest(1.1) },
  follow: { what: "µs to follow an event", aim: flat },
  start: { what: "first answer after a start, ms", aim: flat },
  memory: { what: "resident memory, MB", aim: flat },
  list: { what: "GET /domains?limit=20, ms", aim: flat },
  order: { what: "POST /domains, ms", aim: flat },
  rebuild: { what: "µs to rebuild from an event", aim: flat },
} as const satisfies Readonly<Record<string, Measure>>;

type Samples = Readonly<Record<keyof typeof measures, readonly number[]>>;

/** Measurements of one size. */
interface Grown {
  readonly events: number;
  readonly samples: Samples;
}

/**
 * (p) One instance of growing size: its disk and memory, the duration of its start, of a list and of an order, and
 * the rate at which its read models follow and are rebuilt.
 */
export async function measure({ quick, directory, events: most, svg }: Settings): Promise<RowResult> {
  const counts = quick ? sizes.quick : sizes.full.filter((events) => events <= (most ?? eventsUnlessAsked));
  const grown: Grown[] = [];
  for (const events of counts) {
    const samples = await sampled(join(directory, String(events)), events, quick ? 2 : 30);
    grown.push({ events, samples });
    // The largest size takes an hour, so intermediate results are printed.
    const figures = keysOf(measures).map((key) => `${measures[key].what} ${median(samples[key]).toFixed(1)}`);
    console.error(`${shownEvents(events)}: ${figures.join("; ")}`);
  }
  const [fewest, ...others] = grown;
  if (fewest === undefined) throw new Error(`--events must be ${String(sizes.full[0])} or more`);
  if (svg !== undefined) writeFileSync(svg, chartOf(grown));
  const name = shownEvents(fewest.events);
  const compared = (key: keyof typeof measures): readonly Line[] =>
    others.map(({ events, samples }) =>
      line(
        `${shownEvents(events)}, ${measures[key].what}`,
        samples[key],
        { name, samples: fewest.samples[key] },
        measures[key].aim,
      ),
    );
  return {
    lines: keysOf(measures).flatMap(compared),
    notes: [
      "Each size is an instance of its own, one after the other; µs for each event and bytes have one sample each.",
    ],
  };
}

function chartOf(grown: readonly Grown[]): string {
  const curves = keysOf(measures).map((key) => {
    const medians = grown.map(({ samples }) => median(samples[key]));
    return { what: measures[key].what, ratios: medians.map((value) => value / (medians[0] ?? value)) };
  });
  return growthChart(
    grown.map(({ events }) => events),
    curves,
  );
}

async function sampled(directory: string, events: number, times: number): Promise<Samples> {
  const domains = Math.floor(events / eventsOfDomain / ownersOfAll);
  const database = await fillInstance(directory, Array<number>(ownersOfAll).fill(domains));
  const followed = await secondsOf(() => letFollow(database));
  const data = join(directory, "data");
  const bytes = bytesBelow(data);
  // Otherwise the kernel would write the filled data while orders wait for their syncs.
  syncBelow(data);
  const startedMs = performance.now();
  await using product = await startProduct(directory);
  await answer(product, database, "GET", "/domains?limit=20");
  const start = performance.now() - startedMs;
  const list = await repeated(times, () => answer(product, database, "GET", "/domains?limit=20"));
  const order = await repeated(times, (time) =>
    answer(product, database, "POST", "/domains", { domain: `grown-${String(events)}-${String(time)}.com` }),
  );
  const memory = residentMb(product);
  const rebuilt = await secondsOf(async () => {
    const { projections } = await product.staff.projections.rebuildProjections(
      { name: "" },
      { timeoutMs: rebuildLimitMs },
    );
    const unequal = projections
      .filter(({ equal }) => equal !== true)
      .map(({ name, failure }) => `${name} (${failure ?? "no reason"})`);
    if (unequal.length > 0) throw new Error(`rebuilt otherwise than they were: ${unequal.join(", ")}`);
  });
  const perEvent = (seconds: number): number[] => [(seconds * 1_000_000) / events];
  return {
    bytes: [bytes / events],
    follow: perEvent(followed),
    start: [start],
    memory: [memory],
    list,
    order,
    rebuild: perEvent(rebuilt),
  };
}

async function repeated(times: number, sample: (time: number) => Promise<number>): Promise<number[]> {
  const samples: number[] = [];
  // The first warms up.
  for (let time = 0; time <= times; time += 1) samples.push(await sample(time));
  return samples.slice(1);
}

/** Asks as the first owner. @returns milliseconds until the whole answer was there */
async function answer(
  { baseUrl }: Product,
  { owners }: Database,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<number> {
  const startedMs = performance.now();
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: owners[0]?.apiKey ?? "", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
  return performance.now() - startedMs;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

/** Linux reports it in KiB (proc(5), VmRSS). */
function residentMb({ pid }: Product): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

function bytesBelow(directory: string): number {
  return filesBelow(directory).reduce((sum, path) => sum + statSync(path).size, 0);
}

function syncBelow(directory: string): void {
  for (const path of filesBelow(directory)) {
    const file = openSync(path, "r+");
    fsyncSync(file);
    closeSync(file);
  }
}

function shownEvents(events: number): string {
  return `${events.toLocaleString("en")} events`;
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(record) as Key[];
}
