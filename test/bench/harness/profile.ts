import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { Session, type Profiler } from "node:inspector/promises";
import { join } from "node:path";

import { z } from "zod";

import { percent } from "./table.ts";

/** A stretch of time on the system's monotonic clock, in microseconds: the clock of V8's profiles. */
export interface TimeWindow {
  readonly startUs: number;
  readonly endUs: number;
}

/** The monotonic clock that profiles use. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** Shares of a thread's time by place: packages, parts of Node and native functions, largest first. */
export type TimeShares = readonly (readonly [place: string, share: number])[];

type CallFrame = Profiler.Profile["nodes"][number]["callFrame"];

const profileSchema: z.ZodType<Profiler.Profile> = z.looseObject({
  nodes: z.array(
    z.looseObject({
      id: z.number(),
      callFrame: z.object({
        functionName: z.string(),
        scriptId: z.string(),
        url: z.string(),
        lineNumber: z.number(),
        columnNumber: z.number(),
      }),
    }),
  ),
  startTime: z.number(),
  endTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

const namedPlaces = 7;
const namedFunctions = 10;

/** Profiles this thread during the work; only for extra runs, since it costs some speed. */
export async function profiled(work: () => Promise<unknown>): Promise<TimeShares> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    const startUs = nowUs();
    await work();
    const endUs = nowUs();
    const { profile } = await session.post("Profiler.stop");
    // Without its own time, which it spends on beginning and ending.
    return timeShares(profile, { startUs, endUs });
  } finally {
    session.disconnect();
  }
}

/**
 * Describes this thread's time during the work, and the other threads' processor time: with an embedded store,
 * mostly the writer.
 */
export async function describeThreads(work: () => Promise<unknown>): Promise<string> {
  const startUs = nowUs();
  const whole = process.cpuUsage();
  const own = process.threadCpuUsage();
  const shares = await profiled(work);
  const elapsedUs = nowUs() - startUs;
  const { user, system } = process.cpuUsage(whole);
  const thread = process.threadCpuUsage(own);
  const calling = thread.user + thread.system;
  return (
    `the calling thread used ${percent(calling / elapsedUs)} of a core, the writer and all other threads ` +
    `${percent((user + system - calling) / elapsedUs)}; the calling thread's time: ${describeShares(shares)}`
  );
}

/** The `NODE_OPTIONS` with which every thread of a process writes its profile into the directory when the process ends. */
export function profilingInto(directory: string): string {
  mkdirSync(directory, { recursive: true });
  return `--cpu-prof --cpu-prof-dir=${directory}`;
}

/**
 * Describes every profile in the directory within the window, with its ten largest functions.
 * @param nameOf a thread's name; threads are counted from 0, the main thread.
 */
export function describeProfiles(
  directory: string,
  window: TimeWindow,
  nameOf: (thread: { readonly pid: number; readonly number: number }) => string,
): readonly string[] {
  return readdirSync(directory)
    .map((file) => {
      // Node names a profile `CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile`.
      const [pid = 0, number = 0] = file.split(".").slice(3, 5).map(Number);
      return { file, pid, number };
    })
    .toSorted((a, b) => a.number - b.number || a.pid - b.pid)
    .flatMap(({ file, ...thread }) => {
      const profile = profileSchema.parse(JSON.parse(readFileSync(join(directory, file), "utf8")));
      const functions = describeFunctions(profile, window);
      const places = `${nameOf(thread)}: ${describeShares(timeShares(profile, window))}`;
      return functions === ""
        ? [places]
        : [places, `${nameOf(thread)}, its heaviest functions: ${functions}`];
    });
}

/** Sums a profile's samples by place, within the window only. @param nameOf key of a sample, instead of its place */
export function timeShares(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  window?: TimeWindow,
  nameOf = placeOf,
): TimeShares {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  let atUs = startTime;
  let wholeUs = 0;
  samples.forEach((node, index) => {
    const durationUs = timeDeltas[index] ?? 0;
    atUs += durationUs;
    if (window !== undefined && (atUs < window.startUs || atUs > window.endUs)) return;
    const place = places.get(node) ?? "unknown";
    spent.set(place, (spent.get(place) ?? 0) + durationUs);
    wholeUs += durationUs;
  });
  return [...spent].map(([place, us]) => [place, us / wholeUs] as const).toSorted(([, a], [, b]) => b - a);
}

/** The functions of a profile that took most of the time by themselves, within the window, as the middle of a sentence. */
function describeFunctions(profile: Profiler.Profile, window: TimeWindow): string {
  const working = timeShares(profile, window, functionOf).filter(([name]) => name !== "(idle)");
  return describeShares(working, namedFunctions);
}

/** The largest shares as the middle of a sentence. */
export function describeShares(shares: TimeShares, most = namedPlaces): string {
  return shares
    .slice(0, most)
    .map(([place, share]) => `${place} ${percent(share)}`)
    .join(", ");
}

/** Returns a function with its file; native functions have no file. */
function functionOf({ url, functionName }: CallFrame): string {
  const name = functionName === "" ? "a function without a name" : functionName;
  return url === "" ? name : `${name} (${url.replace(/^.*\//, "")})`;
}

/** Self time belongs to the package whose code runs; native functions have no file and count under their own name. */
function placeOf({ url, functionName }: CallFrame): string {
  if (url === "") return functionName.startsWith("(") ? functionName : `native ${functionName}`;
  if (url.startsWith("node:")) return nodePartOf(url);
  const [, dependency] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (dependency !== undefined) return dependency;
  const [, ours] = /\/((?:packages|services)\/[^/]+|gateway|test\/bench)\//.exec(url) ?? [];
  return ours ?? "other";
}

/** `node:_http_outgoing` and `node:internal/http` are both `node:http` to the reader. */
function nodePartOf(url: string): string {
  const [part = ""] = url.replace(/^node:(internal\/)?_?/, "").split(/[/_]/);
  return `node:${part}`;
}
