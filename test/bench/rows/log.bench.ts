import { mkdirSync, writeFileSync } from "node:fs";
import { randomInt, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createScrub, openAuditLog, scrubFile, type AuditLog, type Scrub } from "@hostledger/audit-service";
import { openEmbeddedEventStore, type EventStore, type EventToAppend } from "@hostledger/store";
import { realTiming, silentLogger, systemClock } from "@hostledger/runtime";
import { hashBytes, inclusionProof, tilePath, tileWidth, type ReadTile } from "@hostledger/audit/log";

import { alternate, duel, type Contender } from "../harness/alternate.ts";
import { callsPerSecond } from "../harness/callers.ts";
import { describeThreads } from "../harness/profile.ts";
import { line, shareOfBaseline, type Aim, type Line, type RowResult } from "../harness/result.ts";
import { paceOf, type Pace, type Settings } from "../harness/settings.ts";
import { storeEdge } from "../peers/accounts.ts";

const width = 64;
const eventsAnAppend = 1_000;
/** Leaves of the tree that the other one is compared with. */
const smallTree = 10_000;
const coverPauseMs = 50;
/** Events a second that are read again, as `HOSTLEDGER_SCRUB_RATE` has it where nobody sets it. */
const scrubRate = 1_000;
/** The scrub waits a second after a start. */
const scrubPauseMs = 1_200;
const scrubSeconds = 5;

const keepsNearlyAll = shareOfBaseline(0.95);
const underOneMs: Aim = { text: "≤ 1 ms", isMet: (ours) => ours <= 1 };

const event: Omit<EventToAppend, "id"> = {
  type: "BalanceCharged.v1",
  data: JSON.stringify({ chargeId: "registration-1/charge", invoiceId: 4_711, grossCents: "1190" }),
  metadata: JSON.stringify({ correlationId: "0123456789abcdef", actor: "account:1" }),
};

/**
 * (l) The transparency log: its cost in durable appends per second while it follows in the same process, as under
 * `hostledger start`; and an inclusion proof in a large log, through the log and from the files alone.
 */
export async function measure(settings: Settings): Promise<RowResult> {
  const maintained = await measureMaintenance(settings);
  const scrubbed = await measureScrub(settings);
  const proved = await measureProofs(settings);
  return {
    lines: [maintained.line, scrubbed.line, ...proved.lines],
    notes: [...maintained.notes, ...scrubbed.notes, ...proved.notes],
  };
}

async function measureMaintenance(settings: Settings): Promise<{ line: Line; notes: readonly string[] }> {
  const pace = paceOf(settings);
  const open = (name: string): Promise<EventStore> =>
    openEmbeddedEventStore({ path: join(settings.directory, `${name}.sqlite`), ...storeEdge });
  const followed = await open("followed");
  const alone = await open("alone");
  const log = await openLog(followed, join(settings.directory, "followed"));
  try {
    const contender = appending("with the kept log", followed, pace);
    const samples = await duel(contender, appending("without it", alone, pace), pace.rounds);
    const measured = line(
      `${String(width)} in flight with the kept log, durable appends/s`,
      samples.ours,
      { name: "without it", samples: samples.baseline },
      keepsNearlyAll,
    );
    const last = Number(await followed.lastPosition());
    const behind = last - log.size;
    const notes = [
      `After the last append the kept log was ${behind.toLocaleString("en")} events behind the ${last.toLocaleString("en")} of the store.`,
    ];
    if (measured.aim?.met === false)
      notes.push(`with the kept log: ${await describeThreads(() => contender.sample())}.`);
    return { line: measured, notes };
  } finally {
    await log.close();
    await followed.close();
    await alone.close();
  }
}

/** Measures the cost of the scrub in durable appends per second; the log follows on both sides. */
async function measureScrub(settings: Settings): Promise<{ line: Line; notes: readonly string[] }> {
  const pace = paceOf(settings);
  const store = await openEmbeddedEventStore({
    path: join(settings.directory, "scrubbed.sqlite"),
    ...storeEdge,
  });
  const dataDirectory = join(settings.directory, "scrubbed");
  const log = await openLog(store, dataDirectory);
  try {
    await fill(store, settings.quick ? smallTree : 10 * smallTree);
    await covered(log, Number(await store.lastPosition()));
    const scrub = await createScrub({
      log,
      rate: scrubRate,
      memory: scrubFile(dataDirectory),
      clock: systemClock(),
      timing: realTiming,
      logger: silentLogger(),
      report: () => Promise.resolve(),
      reportTile: () => Promise.resolve(),
      checkFile: undefined,
    });
    const alone = appending("without it", store, pace);
    const sample = async (): Promise<number> => {
      const stopping = new AbortController();
      const running = scrub.run(stopping.signal);
      const rate = await alone.sample();
      stopping.abort();
      await running;
      return rate;
    };
    const contender = { name: "with the scrub", sample };
    const samples = await duel(contender, alone, pace.rounds);
    const measured = line(
      `${String(width)} in flight while the scrub reads ${scrubRate.toLocaleString("en")} events/s, durable appends/s`,
      samples.ours,
      { name: "without it", samples: samples.baseline },
      shareOfBaseline(0.98),
    );
    const notes = [
      `The scrub compared ${scrub.state().place.index.toLocaleString("en")} events meanwhile; by itself it takes ${String(await cpuMsOfScrub(scrub))} ms of processor time a second.`,
    ];
    if (measured.aim?.met === false)
      notes.push(`with the scrub: ${await describeThreads(() => contender.sample())}.`);
    return { line: measured, notes };
  } finally {
    await log.close();
    await store.close();
  }
}

/**
 * Returns the scrub's processor time, which a busy machine does not change, unlike its rate.
 * @returns ms per second, without a pause before it
 */
async function cpuMsOfScrub(scrub: Scrub): Promise<number> {
  const stopping = new AbortController();
  const running = scrub.run(stopping.signal);
  await realTiming.sleep(scrubPauseMs);
  const before = process.cpuUsage();
  await realTiming.sleep(scrubSeconds * 1_000);
  const { user, system } = process.cpuUsage(before);
  stopping.abort();
  await running;
  return Math.round((user + system) / 1_000 / scrubSeconds);
}

async function measureProofs(
  settings: Settings,
): Promise<{ lines: readonly Line[]; notes: readonly string[] }> {
  const leaves = settings.quick ? 2 * smallTree : 1_000_000;
  const store = await openEmbeddedEventStore({
    path: join(settings.directory, "large.sqlite"),
    ...storeEdge,
  });
  const directory = join(settings.directory, "large");
  await fill(store, leaves);
  const startMs = performance.now();
  const log = await openLog(store, directory);
  try {
    await covered(log, leaves);
    const seconds = (performance.now() - startMs) / 1_000;
    const onDisk = tilesOnDisk(join(directory, "audit"), leaves);
    const proofs = settings.quick ? 50 : 200;
    const sides: readonly Contender[] = [
      proving("warm", log.readTile, leaves, proofs),
      proving("from files", onDisk, leaves, proofs),
      proving("warm, small", log.readTile, smallTree, proofs),
      proving("from files, small", onDisk, smallTree, proofs),
    ];
    const [warm = [], files = [], smallWarm = [], smallFiles = []] = await alternate(
      sides,
      settings.quick ? 1 : 7,
    );
    const subject = `inclusion proof at ${leaves.toLocaleString("en")} leaves`;
    const name = `at ${smallTree.toLocaleString("en")} leaves`;
    return {
      lines: [
        line(`${subject}, through the log, ms`, warm, { name, samples: smallWarm }, underOneMs),
        line(`${subject}, from the files, ms`, files, { name, samples: smallFiles }, underOneMs),
      ],
      notes: [
        `A log of ${leaves.toLocaleString("en")} events was made from its store in ${seconds.toFixed(1)} s, ${Math.round(leaves / seconds).toLocaleString("en")} events a second.`,
      ],
    };
  } finally {
    await log.close();
    await store.close();
  }
}

function openLog(store: EventStore, dataDirectory: string): Promise<AuditLog> {
  // As an import does: the next start begins a log.
  mkdirSync(join(dataDirectory, "audit"), { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDirectory, "audit", "unsigned"), "", { flag: "a", mode: 0o600 });
  return openAuditLog({ store, dataDirectory, clock: systemClock(), logger: silentLogger() });
}

function appending(name: string, store: EventStore, pace: Pace): Contender {
  const run = randomUUID();
  const last: bigint[] = [];
  return {
    name,
    sample: () =>
      callsPerSecond(width, pace, async (caller) => {
        const expected = last[caller] ?? "no-stream";
        const { revision } = await store.append(`append-${run}-${String(caller)}`, expected, [
          { id: randomUUID(), ...event },
        ]);
        last[caller] = revision;
      }),
  };
}

/** Returns the mean duration of a proof of a random leaf, in milliseconds. */
function proving(name: string, readTile: ReadTile, size: number, proofs: number): Contender {
  return {
    name,
    sample: async () => {
      const startMs = performance.now();
      for (let proof = 0; proof < proofs; proof += 1) await inclusionProof(randomInt(size), size, readTile);
      return (performance.now() - startMs) / proofs;
    },
  };
}

async function fill(store: EventStore, events: number): Promise<void> {
  const run = randomUUID();
  for (let at = 0; at < events; at += eventsAnAppend)
    await store.append(
      `fill-${run}-${String(at)}`,
      "no-stream",
      Array.from({ length: Math.min(eventsAnAppend, events - at) }, () => ({ id: randomUUID(), ...event })),
    );
}

async function covered(log: AuditLog, size: number): Promise<void> {
  await log.ready();
  while (log.checkpoint().size < size) await new Promise((resolve) => setTimeout(resolve, coverPauseMs));
}

/** Every hash is read from its file, as a program does that has just started: only the system's cache helps. */
function tilesOnDisk(directory: string, size: number): ReadTile {
  return async (level, index, wanted) => {
    // An earlier tree's growing tiles are the beginnings of this one's.
    const present = Math.min(tileWidth, Math.floor(size / tileWidth ** level) - index * tileWidth);
    const bytes = await readFile(join(directory, tilePath(level, index, present)));
    return bytes.subarray(0, wanted * hashBytes);
  };
}
