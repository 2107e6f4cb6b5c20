import { readFileSync } from "node:fs";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { countWork, operations, type CountedWork } from "./count-work.ts";
import type { WorkKind } from "./counted-instance.ts";
import { countIn, formatCounts } from "./counts-table.ts";
import { countReplicaWork, formatReplicaWork } from "./replica-work.ts";

/**
 * Compares docs/performance.md with the counts that do not depend on concurrent work. A lower count is good: write
 * it into the table with `pnpm run counts`.
 */

const document = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");
const kinds: readonly WorkKind[] = [
  "calls between services",
  "appends",
  "events",
  "reads of a stream",
  "syncs of the event store",
];

const directory = temporaryDirectory();
let counted: CountedWork;

beforeAll(async () => {
  counted = await countWork(directory.path, 3);
});
afterAll(() => {
  directory.remove();
});

it.each(operations)("a %s does the work in the table", (name) => {
  const work = counted.of.get(name);
  for (const kind of kinds) expect([kind, work?.[kind]]).toEqual([kind, countIn(document, kind, name)]);
});

it("counts statements, commits and timers", () => {
  const registration = counted.of.get("registration of a domain");
  for (const kind of ["statements of the event store", "statements of read models", "timers"] as const)
    expect(registration?.[kind], kind).toBeGreaterThan(0);
  expect(registration?.["commits of read models"]).toBeGreaterThan(0);
});

it.each(["list of 20 domains", "the same list, 304", "one domain, 304"] as const)(
  "does nothing of it for a %s",
  (name) => {
    const read = counted.of.get(name);
    expect(read).toMatchObject({ appends: 0, events: 0, "syncs of the event store": 0 });
  },
);

it("reads its own table back", () => {
  const text = formatCounts(counted);
  for (const name of operations) expect(countIn(text, "appends", name)).toBe(counted.of.get(name)?.appends);
  expect(() => countIn("", "appends", "list of 20 domains")).toThrow("there is no appends");
});

it("counts the work of each process of three replicas", async () => {
  const work = await countReplicaWork(directory.path, 10);
  const of = work.get("registration of a domain");
  const asked = of?.get("the replica that is asked");
  for (const measure of ["calls that read or write", "kB read and written", "waits", "timers"] as const)
    expect(asked?.[measure], measure).toBeGreaterThan(0);
  expect(asked?.["statements at SQLite"]).toBe(0);
  expect(of?.get("node")?.["statements at SQLite"]).toBeGreaterThan(0);
  expect(of?.get("PostgreSQL")?.["ms of processor time"]).toBeGreaterThan(0);
  expect(formatReplicaWork(work)).toContain("| registration of a domain: PostgreSQL ");
});
