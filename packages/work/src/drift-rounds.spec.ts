import { createCommandHandler } from "@hostledger/store";
import { difference } from "@hostledger/core";
import { manualClock, realTiming, silentLogger } from "@hostledger/runtime";
import { expect, it } from "vitest";

import type { DriftReport } from "./drift.ts";
import { comparisonWork, lastComparison, type ComparisonOptions } from "./drift-rounds.ts";
import { ScriptedStore } from "./scripted-store.fixture.ts";

const hourMs = 3_600_000;
const found = (kind: "domain-missing" | "zone-missing") => ({
  ...difference(kind, "one.com", { expected: "so", found: "otherwise" }),
  mended: false,
});
const report: DriftReport = {
  differences: [found("domain-missing"), found("zone-missing"), found("zone-missing")],
  unanswered: ["The DNS server did not answer about two.com."],
  unlisted: [],
};

/** The work of comparing over a store, and others over the same. */
function rounds(store = new ScriptedStore([]), options: Partial<ComparisonOptions> = {}) {
  const clock = manualClock("2026-11-23T10:00:00.000000Z", realTiming);
  const compared: AbortSignal[] = [];
  const trust = { isTrusted: true };
  const commands = createCommandHandler({ store, recordedBy: "spec" });
  const work = comparisonWork({
    part: "domains",
    commands,
    clock,
    logger: silentLogger(),
    everyHours: 24,
    compare(signal) {
      compared.push(signal);
      return Promise.resolve(report);
    },
    ...options,
  });
  const look = (end = new AbortController()) => {
    const given = { failure: undefined, signal: end.signal };
    return work.attend("domains", { ...given, now: () => clock.now(), isTimeTrusted: () => trust.isTrusted });
  };
  return { clock, compared, look, last: () => lastComparison(commands, "domains"), store, trust };
}

it("compares the books once a day, and stores an event that a restarted process reads", async () => {
  const { clock, compared, last, look, store } = rounds();
  expect(await last()).toBeUndefined();
  const dueAt = "2026-11-24T10:00:00.000000Z";
  expect(await look()).toMatchObject({ steps: ["compared"], end: "waiting", until: dueAt });
  const result = { part: "domains", critical: 1, major: 2, minor: 0, unanswered: 1 };
  expect(await last()).toMatchObject(result);
  clock.advance(23 * hourMs);
  expect(await look()).toMatchObject({ steps: [], end: "waiting", until: dueAt });
  expect(compared).toHaveLength(1);

  const again = rounds(store);
  expect(await again.last()).toMatchObject(result);
  again.clock.advance(23 * hourMs);
  expect(await again.look()).toMatchObject({ steps: [] });
  again.clock.advance(hourMs);
  expect(await again.look()).toMatchObject({ steps: ["compared"] });
  expect(await again.last()).toMatchObject({ beganAt: again.clock.now() });
  expect(store.typesOf("comparison-domains")).toEqual(["BooksCompared.v2", "BooksCompared.v2"]);
});

it("compares nothing while the time is not trusted", async () => {
  const { compared, look, trust } = rounds();
  trust.isTrusted = false;
  expect(await look()).toMatchObject({ end: "due" });
  expect(compared).toEqual([]);
});

it("records nothing of a comparison that was cut off", async () => {
  const end = new AbortController();
  const store = new ScriptedStore([]);
  const { look, compared } = rounds(store);
  const looking = look(end);
  end.abort();
  expect(await looking).toMatchObject({ end: "waiting", steps: ["comparison cut off"] });
  expect([compared.length, store.typesOf("comparison-domains")]).toEqual([1, []]);
});

it("records nothing about a failed comparison, and passes the last result to the next one", async () => {
  const failed = { outcome: "failed", reason: "No list.", code: "payment-unavailable" } as const;
  const store = new ScriptedStore([]);
  const { look } = rounds(store, { compare: () => Promise.resolve(failed) });
  expect(await look()).toMatchObject({ end: "failed", reason: "No list.", effect: "compare" });
  expect(store.typesOf("comparison-domains")).toEqual([]);
  const provider = "stripe";
  const listed = [{ provider, from: "2026-11-20T10:00:00.000000Z", movements: 2, foreign: 0 }];
  const before: unknown[] = [];
  const again = rounds(store, {
    compare(_signal, last) {
      before.push(last?.listed);
      return Promise.resolve({ ...report, listed });
    },
  });
  await again.look();
  again.clock.advance(24 * hourMs);
  await again.look();
  expect(before).toEqual([undefined, listed]);
});

it("compares nothing while the store is an older backup, and records nothing if it became one meanwhile", async () => {
  const store = new ScriptedStore([]);
  let isRefused = true;
  const { compared, look } = rounds(store, { refusesWrites: () => isRefused });
  expect(await look()).toMatchObject({ steps: ["postponed"], end: "waiting" });
  expect(compared).toEqual([]);
  isRefused = false;
  const meanwhile = rounds(store, {
    refusesWrites: () => isRefused,
    compare() {
      isRefused = true;
      return Promise.resolve(report);
    },
  });
  expect(await meanwhile.look()).toMatchObject({ steps: ["postponed"] });
  expect(store.typesOf("comparison-domains")).toEqual([]);
});
