import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { duel } from "../harness/alternate.ts";
import {
  atMostBaseline,
  line,
  millisecondsAtMost,
  shareOfBaseline,
  type Line,
  type RowResult,
} from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { percent } from "../harness/table.ts";
import { startLoadGenerator, type LoadGenerator, type LoadReport } from "../load/load.ts";
import { profileProduct } from "../peers/product-profile.ts";
import { startProduct, type Product } from "../peers/product.ts";
import { fillInstance, letFollow, type Database, type OwnerKey } from "../replay/filled-instance.ts";

const clients = 32;

/** Ten thousand times the domains may cost half as much again: an index is a few levels deeper. */
const rateAim = shareOfBaseline(1 / 1.5);

/** Flat: ten or a thousand times the list may cost a quarter more at most, for V8's own idea of when to tidy up. */
const memoryAim = atMostBaseline(1.25);

/** Numbers of domains of a database's accounts. */
interface Sizes {
  readonly few: number;
  /** One page, the list of the issue, and the rest. */
  readonly lists: readonly [number, number, number];
}

const full: Sizes = { few: 100, lists: [1_000, 10_000, 989_000] };
const quick: Sizes = { few: 100, lists: [1_000, 2_000, 3_000] };

/**
 * (g) A page of a list on a database of a hundred domains and on one of a million, one account's nearly all; and the
 * memory of the whole process while it answers a list of one page, of ten, and of nearly everything. What somebody else waits
 * meanwhile.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const { few, lists } = settings.quick ? quick : full;
  const small = await fill(join(settings.directory, "small"), [few]);
  const large = await fill(join(settings.directory, "large"), lists);
  const pages = await measurePages(settings, small, large);
  const waiting = await measureWaiting(settings, large);
  const memory = await measureMemory(settings, large);
  return { lines: [...pages.lines, waiting, ...memory], notes: pages.notes };
}

/** Creates an instance's data and lets its read models catch up before the measurement. */
async function fill(directory: string, counts: readonly number[]): Promise<Database> {
  const filled = await fillInstance(directory, counts);
  await letFollow(filled);
  return filled;
}

/** A request, as a path, and its account. */
interface Page {
  readonly what: string;
  readonly path: (owner: OwnerKey) => string;
}

const pagesAsked: readonly Page[] = [
  { what: "first page", path: () => "/api/v1/domains?limit=20" },
  {
    what: "page in the middle",
    path: ({ firstId, domains }) =>
      `/api/v1/domains?limit=20&after=${String(firstId + Math.floor(domains / 2))}`,
  },
];

async function measurePages(settings: Settings, small: Database, large: Database): Promise<RowResult> {
  const pace = paceOf(settings);
  await using generator = startLoadGenerator();
  const lines = await comparePages(generator, pace, small, large);
  const notes: string[] = [];
  // On the same data, so only now that nothing runs on it any more.
  for (const { what, path } of pagesAsked.filter((_, at) => lines[at]?.aim?.met === false)) {
    const places = await profileProduct(large.directory, ({ port }) =>
      load(generator, port, large, path, pace),
    );
    notes.push(...places.map((place) => `${what}, ${place}.`));
  }
  notes.push(`The load generator was busy for at most ${percent(generator.busiest)} of a sample.`);
  return { lines: [...lines], notes };
}

async function comparePages(
  generator: LoadGenerator,
  pace: Pace,
  small: Database,
  large: Database,
): Promise<readonly Line[]> {
  await using few = await startProduct(small.directory);
  await using many = await startProduct(large.directory);
  const lines: Line[] = [];
  for (const { what, path } of pagesAsked) {
    const contender = (database: Database, { port }: Product) => ({
      name: `${database.domains.toLocaleString("en")} domains`,
      sample: async () => (await load(generator, port, database, path, pace)).perSecond,
    });
    const ours = contender(large, many);
    const baseline = contender(small, few);
    const samples = await duel(ours, baseline, pace.rounds);
    const subject = `GET /domains?limit=20, ${what}, ${ours.name}, requests/s`;
    lines.push(line(subject, samples.ours, { name: baseline.name, samples: samples.baseline }, rateAim));
  }
  return lines;
}

/** The account with the most domains is the last. */
function load(
  generator: LoadGenerator,
  port: number,
  { owners }: Database,
  pathOf: (owner: OwnerKey) => string,
  pace: Pace,
): Promise<LoadReport> {
  const owner = owners.at(-1);
  if (owner === undefined) throw new Error("the database has no owner");
  const request = { kind: "get", path: pathOf(owner) } as const;
  return generator.run({ port, clients, expectedStatus: 200, apiKeys: [owner.apiKey], request }, pace);
}

/** The longest that another request takes while a list of ten pages is read to its end. */
async function measureWaiting({ quick: isQuick }: Settings, { directory, owners }: Database): Promise<Line> {
  const [, list] = owners;
  if (list === undefined) throw new Error("three owners");
  await using product = await startProduct(directory);
  const url = `${product.baseUrl}/domains`;
  const longest = async (work: () => Promise<unknown>): Promise<number> => {
    const done = new AbortController();
    const working = work().finally(() => {
      done.abort();
    });
    let longestMs = 0;
    do {
      const beganMs = performance.now();
      await countItems(`${url}?limit=1`, list.apiKey);
      longestMs = Math.max(longestMs, performance.now() - beganMs);
    } while (!done.signal.aborted);
    await working;
    return longestMs;
  };
  const samples: { readonly ours: number[]; readonly baseline: number[] } = { ours: [], baseline: [] };
  for (let round = 0; round < (isQuick ? 1 : 9); round += 1) {
    samples.ours.push(await longest(() => countItems(url, list.apiKey)));
    samples.baseline.push(await longest(() => pause(500)));
  }
  const subject = `a request during GET /domains, list of ${list.domains.toLocaleString("en")}, ms at most`;
  return line(
    subject,
    samples.ours,
    { name: "nobody else asks", samples: samples.baseline },
    millisecondsAtMost(100),
  );
}

/** Each sample is a process of its own that answers about as many domains in all, in lists of different lengths. */
async function measureMemory({ quick: isQuick }: Settings, database: Database): Promise<readonly Line[]> {
  const [page, list, everything] = database.owners;
  if (page === undefined || list === undefined || everything === undefined) throw new Error("three owners");
  const total = isQuick ? page.domains : everything.domains;
  const contenders = [page, list, everything].map((owner) => ({
    name: `list of ${owner.domains.toLocaleString("en")}`,
    owner,
    times: Math.max(1, Math.floor(total / owner.domains)),
    samples: new Array<number>(),
  }));
  // In turns, and without a round to warm up: each sample is a process of its own.
  for (let round = 0; round < (isQuick ? 1 : 3); round += 1) {
    for (const { owner, times, samples } of contenders) {
      samples.push(await peakMegabytes(database.directory, owner, times));
    }
  }
  return contenders.slice(1).map(({ name, samples }, at) => {
    const subject = `GET /domains, ${name}, peak resident memory, MB`;
    const baseline = contenders[at] ?? { name: "", samples: [] };
    return line(subject, samples, { name: baseline.name, samples: baseline.samples }, memoryAim);
  });
}

/** The most memory that a fresh process has held after it has answered a list so many times. */
async function peakMegabytes(
  directory: string,
  { apiKey, domains }: OwnerKey,
  times: number,
): Promise<number> {
  await using product = await startProduct(directory);
  for (let time = 0; time < times; time += 1) {
    const items = await countItems(`${product.baseUrl}/domains`, apiKey);
    if (items !== domains) throw new Error(`a list of ${String(domains)} domains has ${String(items)}`);
  }
  // Linux keeps the peak of a process (proc(5), VmHWM, in KiB): nothing needs to watch it.
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(product.pid)}/status`, "utf8"));
  return Number(kibibytes?.[1]) / 1_024;
}

/** Reads a list to its end without keeping it. @returns how many items it has */
function countItems(url: string, apiKey: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { authorization: apiKey } }, (response) => {
      let items = 0;
      let seam = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        // A member may begin in one chunk and end in the next.
        const text = seam + chunk;
        seam = text.slice(-(mark.length - 1));
        for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) items += 1;
      });
      response.on("end", () => {
        resolve(items);
      });
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

/** Every domain has it once. */
const mark = '"domain_name":';
