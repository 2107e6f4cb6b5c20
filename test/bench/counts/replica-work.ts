import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { markdownTable } from "@hostledger/runtime";

import { startFleet, type Fleet } from "../../support/fleet.ts";
import { openCustomer, sell, type Customer } from "../../support/staff-client.ts";
import { processorTimeBelowMs, processorTimeOfMs } from "../harness/processor-time.ts";
import { listed, posted, type OperationName } from "./count-work.ts";
import { countedIn } from "./counted-lines.ts";

/** Measures of each process, in the order of the table. */
const measures = [
  "ms of processor time",
  "calls that read or write",
  "kB read and written",
  "waits",
  "statements at SQLite",
  "timers",
  "abort signals",
] as const;

type Measure = (typeof measures)[number];

/** Work of one process so far; unmeasured kinds are absent. */
type Done = Readonly<Partial<Record<Measure, number>>>;

/** Processes in the order of the table. Whose replica keeps which tables is chance, but for one that is never asked. */
const groups = ["the replica that is asked", "the other two", "node", "audit", "PostgreSQL"] as const;

type Group = (typeof groups)[number];

/** Operations of customers. */
const operations = [
  "registration of a domain",
  "renewal of a domain",
  "list of 20 domains",
] as const satisfies readonly OperationName[];

type Operation = (typeof operations)[number];

/** Work of each process for one operation, with one client that calls one of three replicas. */
export type ReplicaWork = ReadonlyMap<Operation, ReadonlyMap<Group, Done>>;

/** Time for a fleet to finish its work, in milliseconds. */
const settleMs = 1_500;

/** @param repeats of each operation; the processes' idle work is included. */
export async function countReplicaWork(directory: string, repeats: number): Promise<ReplicaWork> {
  const preload = fileURLToPath(new URL("./preload.child.ts", import.meta.url));
  const environment = { NODE_OPTIONS: `--import ${preload}`, COUNTED_TO: join(directory, "counted-%p") };
  const fleet = await startFleet({ form: "replicas", environment });
  try {
    const [asked] = fleet.gateways;
    await sell(fleet.staff, "com");
    const customer = await openCustomer(fleet.staff, fleet.baseUrlOf(asked), { balanceCents: 100_000_000n });
    const requests = requestsOf(customer);
    const work = new Map<Operation, ReadonlyMap<Group, Done>>();
    for (const operation of operations) {
      for (let time = 0; time < repeats; time += 1) await requests[operation](time);
      await pause(settleMs);
      const before = doneIn(fleet, directory);
      for (let time = repeats; time < 2 * repeats; time += 1) await requests[operation](time);
      await pause(settleMs);
      work.set(operation, ofOne(before, doneIn(fleet, directory), repeats));
    }
    return work;
  } finally {
    await fleet.close();
  }
}

/** Formats the work as Markdown. */
export function formatReplicaWork(work: ReplicaWork): string {
  const rows = [...work].flatMap(([operation, done]) =>
    groups.map((group) => [
      `${operation}: ${group}`,
      ...measures.map((measure) => done.get(group)?.[measure]?.toFixed(1) ?? "–"),
    ]),
  );
  return markdownTable([["", ...measures], ...rows]);
}

function requestsOf(customer: Customer): Record<Operation, (time: number) => Promise<void>> {
  const name = (time: number): string => `counted-${String(time)}.com`;
  return {
    "registration of a domain": (time) => posted(customer, "/domains", { domain: name(time) }, 201),
    "renewal of a domain": (time) => posted(customer, `/domains/${name(time)}/renew`, { years: 1 }, 200),
    "list of 20 domains": () => listed(customer),
  };
}

function ofOne(
  before: ReadonlyMap<Group, Done>,
  after: ReadonlyMap<Group, Done>,
  repeats: number,
): ReadonlyMap<Group, Done> {
  return new Map(
    [...after].map(([group, done]) => {
      const earlier = before.get(group) ?? {};
      const counted = measures.filter((measure) => measure in done);
      return [
        group,
        Object.fromEntries(
          counted.map((measure) => [measure, ((done[measure] ?? 0) - (earlier[measure] ?? 0)) / repeats]),
        ),
      ];
    }),
  );
}

/** Returns the work of a fleet's processes since their start. */
function doneIn({ gateways: [asked], members, serving }: Fleet, directory: string): ReadonlyMap<Group, Done> {
  const groupOf = (name: string): Group => {
    if (name === asked.name) return "the replica that is asked";
    if (serving.some((each) => each.name === name)) return "the other two";
    return name === "node" ? "node" : "audit";
  };
  const done = new Map<Group, Done>();
  let usedMs = 0;
  for (const { name, pid = 0 } of members) {
    const ofMember = doneBy(pid, join(directory, `counted-${String(pid)}`));
    const others = done.get(groupOf(name)) ?? {};
    done.set(
      groupOf(name),
      Object.fromEntries(measures.map((each) => [each, (others[each] ?? 0) + ofMember[each]])),
    );
    usedMs += ofMember["ms of processor time"];
  }
  // The process only reads and writes sockets, which the kernel does not count there.
  done.set("PostgreSQL", { "ms of processor time": processorTimeBelowMs([]) - usedMs });
  return done;
}

/** Linux only: proc(5). */
function doneBy(pid: number, countedTo: string): Readonly<Record<Measure, number>> {
  const numberIn = (text: string, name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, "mu").exec(text)?.[1] ?? 0);
  const io = readFileSync(`/proc/${String(pid)}/io`, "utf8");
  const waits = readdirSync(`/proc/${String(pid)}/task`).map((thread) =>
    numberIn(readFileSync(`/proc/${String(pid)}/task/${thread}/status`, "utf8"), "voluntary_ctxt_switches"),
  );
  const counted = existsSync(countedTo) ? countedIn(readFileSync(countedTo, "utf8")) : [];
  const isOurs = (database: string): boolean => !database.startsWith("sandbox");
  return {
    "ms of processor time": processorTimeOfMs(pid),
    "calls that read or write": numberIn(io, "syscr") + numberIn(io, "syscw"),
    "kB read and written": (numberIn(io, "rchar") + numberIn(io, "wchar")) / 1_000,
    waits: waits.reduce((sum, each) => sum + each, 0),
    "statements at SQLite": counted.filter((each) => each.kind === "sql" && isOurs(each.database)).length,
    timers: counted.filter(({ kind }) => kind === "timer").length,
    "abort signals": counted.filter(({ kind }) => kind === "signal").length,
  };
}
