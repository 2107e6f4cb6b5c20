import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import { startChild } from "../harness/child.ts";
import { startCollector } from "./collector.ts";
import { countedIn, type Counted } from "./counted-lines.ts";

/** Options of the counted process. */
export const orderSchema = z.object({ data: z.string(), environment: z.record(z.string(), z.string()) });

const openedSchema = z.object({ baseUrl: z.string(), adminUrl: z.string() });

/** Kinds of counted work, in the order of the table. */
export const workKinds = [
  "calls between services",
  "appends",
  "events",
  "bytes of events",
  "reads of a stream",
  "syncs of the event store",
  "statements of the event store",
  "statements of read models",
  "commits of read models",
  "timers",
  "abort signals",
] as const;

export type WorkKind = (typeof workKinds)[number];

/** Amount of each kind of work. */
export type Work = Readonly<Record<WorkKind, number>>;

/** Work that an idle instance also does; so much of it is not counted with a request. */
const isDoneByClock: ReadonlySet<WorkKind> = new Set([
  "statements of read models",
  "timers",
  "abort signals",
]);

/** An instance whose work is counted. */
export interface CountedInstance {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly data: string;
  /** Counts the idle work of a second; later counts leave it out. */
  idle(): Promise<Work>;
  /**
   * Counts the work of repeated requests, one after the other, until the instance is quiet; returns the work of one.
   */
  during(request: () => Promise<unknown>, repeats: number): Promise<Work>;
  /** Syncs of the audit log for each of its checkpoints, so far. */
  syncsForCheckpoint(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Time without work for a request after which an instance is quiet, in milliseconds. */
const quietMs = 400;

/** Time for earlier work to end, and time for observing an idle instance, in milliseconds. */
const [settleMs, idleMs] = [4_000, 6_000];

/** The sandbox's own file is an outside party's. */
const isOthers = (database: string): boolean => database.startsWith("sandbox");

/**
 * Starts an instance with the default configuration in a process of its own, under strace, which counts its syncs.
 * @param isTraced its calls are counted, by the spans that it sends to a collector; timers that send them are counted with the others.
 */
export async function startCounted(directory: string, isTraced: boolean): Promise<CountedInstance> {
  const data = join(directory, "data");
  mkdirSync(data, { recursive: true });
  const [countedTo, syncsTo] = [join(directory, "counted"), join(directory, "syncs")];
  const collector = await startCollector();
  const child = startChild(new URL("./instance.child.ts", import.meta.url), [], {
    execPath: "strace",
    execArgv: [
      "-f",
      "-y",
      "-qq",
      "--seccomp-bpf",
      "-e",
      "trace=fsync,fdatasync",
      "-o",
      syncsTo,
      process.execPath,
      "--import",
      fileURLToPath(new URL("./preload.child.ts", import.meta.url)),
    ],
    env: { ...process.env, COUNTED_TO: countedTo },
  });
  const environment: Readonly<Record<string, string>> = isTraced
    ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "20" }
    : {};
  const { baseUrl, adminUrl } = openedSchema.parse(await child.ask({ data, environment }));
  const lines = newLinesOf(countedTo);
  const syncLines = newLinesOf(syncsTo);
  const auditSyncs = { all: 0, ofCheckpoints: 0 };
  let idle: Idle = { statements: new Set(), aSecond: recordOfWork(() => 0) };

  /** Returns the work since the last question, when it has ended or the time limit is over. */
  async function observe(limitMs?: number): Promise<Observed> {
    const beganMs = performance.now();
    const done: Counted[] = [];
    const syncs: string[] = [];
    let calls = 0;
    let lastMs = beganMs;
    const isOver = (nowMs: number): boolean =>
      limitMs === undefined ? nowMs - lastMs >= quietMs : nowMs - beganMs >= limitMs;
    do {
      await pause(20);
      const counted = countedIn(lines());
      const synced = syncedFilesIn(syncLines());
      const called = collector.takeCalls();
      done.push(...counted);
      syncs.push(...synced);
      auditSyncs.all += synced.filter(isOfAuditLog).length;
      auditSyncs.ofCheckpoints += synced.filter((file) => file.endsWith("/audit/checkpoint.new")).length;
      calls += called;
      const isBusy = called > 0 || counted.some((each) => isOfRequest(each, idle));
      if (isBusy) lastMs = performance.now();
    } while (!isOver(performance.now()));
    return { done, syncs, calls, tookMs: performance.now() - beganMs };
  }

  return {
    baseUrl,
    adminUrl,
    data,
    async idle() {
      await observe(settleMs);
      const observed = await observe(idleMs);
      const work = workOf(observed);
      const aSecond = recordOfWork((kind) => (work[kind] * 1_000) / observed.tookMs);
      const statements = observed.done.filter((each) => each.kind === "sql").map(nameOf);
      idle = { statements: new Set(statements), aSecond };
      return aSecond;
    },
    async during(request, repeats) {
      await observe();
      const observing = observe();
      for (let time = 0; time < repeats; time += 1) await request();
      const [first, last] = [await observing, await observe()];
      const work = [workOf(first), workOf(last)];
      const tookMs = first.tookMs + last.tookMs;
      return recordOfWork((kind) => {
        const all = work.reduce((sum, each) => sum + each[kind], 0);
        const byClock = isDoneByClock.has(kind) ? (idle.aSecond[kind] * tookMs) / 1_000 : 0;
        return (all - byClock) / repeats;
      });
    },
    syncsForCheckpoint: () => auditSyncs.all / auditSyncs.ofCheckpoints,
    async [Symbol.asyncDispose]() {
      await child.stop();
      collector.close();
    },
  };
}

/** Work of an idle instance. */
interface Idle {
  /** By which it is seen that nothing else goes on. */
  readonly statements: ReadonlySet<string>;
  readonly aSecond: Work;
}

interface Observed {
  readonly done: readonly Counted[];
  readonly syncs: readonly string[];
  readonly calls: number;
  readonly tookMs: number;
}

const nameOf = (each: Counted): string => (each.kind === "sql" ? `${each.database} ${each.sql}` : each.kind);

/** Returns true for work that belongs to a request, not to the clock or the sandbox. */
function isOfRequest(each: Counted, { statements }: Idle): boolean {
  if (each.kind === "timer" || each.kind === "signal") return false;
  return each.kind !== "sql" || !(isOthers(each.database) || statements.has(nameOf(each)));
}

function workOf({ done, syncs, calls }: Observed): Work {
  const appends = done.filter((each) => each.kind === "append");
  const statements = done.filter((each) => each.kind === "sql" && !isOthers(each.database));
  const ofStore = statements.filter((each) => each.kind === "sql" && each.database === "events");
  const commits = statements.filter((each) => each.kind === "sql" && /^\s*commit/i.test(each.sql));
  return {
    "calls between services": calls,
    appends: appends.length,
    events: appends.reduce((sum, { events }) => sum + events, 0),
    "bytes of events": appends.reduce((sum, { bytes }) => sum + bytes, 0),
    "reads of a stream": done.filter(({ kind }) => kind === "read").length,
    "syncs of the event store": syncs.filter((file) => file.includes("/events.sqlite")).length,
    "statements of the event store": ofStore.length,
    "statements of read models": statements.length - ofStore.length,
    "commits of read models": commits.filter((each) => !ofStore.includes(each)).length,
    timers: done.filter(({ kind }) => kind === "timer").length,
    "abort signals": done.filter(({ kind }) => kind === "signal").length,
  };
}

/** The same for each kind of work. */
export function recordOfWork(of: (kind: WorkKind) => number): Work {
  return {
    "calls between services": of("calls between services"),
    appends: of("appends"),
    events: of("events"),
    "bytes of events": of("bytes of events"),
    "reads of a stream": of("reads of a stream"),
    "syncs of the event store": of("syncs of the event store"),
    "statements of the event store": of("statements of the event store"),
    "statements of read models": of("statements of read models"),
    "commits of read models": of("commits of read models"),
    timers: of("timers"),
    "abort signals": of("abort signals"),
  };
}

const isOfAuditLog = (file: string): boolean =>
  /\/audit(?:\/|$)/.test(file) && !file.endsWith("/scrub.json.new");

/** The files of ours that a trace of `strace -f -y` says were synced. */
function syncedFilesIn(trace: string): readonly string[] {
  return [...trace.matchAll(/^\d+ +f(?:data)?sync\(\d+<(?<file>[^>]*)>/gm)]
    .map(({ groups }) => groups?.file ?? "")
    .filter((file) => !isOthers(file.replace(/^.*\//, "")));
}

/** Gives the whole lines that were written to a file since the last time. */
function newLinesOf(path: string): () => string {
  let at = 0;
  return () => {
    if (!existsSync(path)) return "";
    const { length } = readFileSync(path);
    const bytes = Buffer.alloc(length - at);
    const file = openSync(path, "r");
    try {
      readSync(file, bytes, 0, bytes.length, at);
    } finally {
      closeSync(file);
    }
    const whole = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
    at += whole.length;
    return whole.toString();
  };
}
