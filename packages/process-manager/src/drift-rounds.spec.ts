import { createCommandHandler } from "@hostledger/event-store";
import { difference } from "@hostledger/core";
import { manualClock, realTiming, silentLogger } from "@hostledger/runtime";
import { expect, it } from "vitest";

import type { DriftReport } from "./drift.ts";
import { createDriftRounds } from "./drift-rounds.ts";
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

/** Rounds over a store, and others over the same. */
function rounds(everyHours = 24, store = new ScriptedStore([])) {
  const clock = manualClock("2026-11-23T10:00:00.000000Z", realTiming);
  const compared: AbortSignal[] = [];
  const trust = { isTrusted: true };
  const commands = createCommandHandler({ store, recordedBy: "spec" });
  const driven = createDriftRounds({
    part: "domains",
    commands,
    clock,
    logger: silentLogger(),
    everyHours,
    isTimeTrusted: () => trust.isTrusted,
    compare(signal) {
      compared.push(signal);
      return Promise.resolve(report);
    },
  });
  return { clock, compared, driven, store, trust };
}

it("compares the books once a day, and what it came to is a fact that a restart knows", async () => {
  const { clock, compared, driven, store } = rounds();
  expect(await driven.last()).toBeUndefined();
  const result = { part: "domains", critical: 1, major: 2, minor: 0, unanswered: 1 };
  expect(await driven.runDue()).toMatchObject(result);
  clock.advance(23 * hourMs);
  expect(await driven.runDue()).toBeUndefined();
  expect(compared).toHaveLength(1);

  const again = rounds(24, store);
  expect(await again.driven.last()).toMatchObject(result);
  again.clock.advance(23 * hourMs);
  expect(await again.driven.runDue()).toBeUndefined();
  again.clock.advance(hourMs);
  expect(await again.driven.runDue()).toMatchObject({ beganAt: again.clock.now() });
  expect(store.typesOf("comparison-domains")).toEqual(["BooksCompared", "BooksCompared"]);
});

it("compares nothing where that is not wanted, or the time is not trusted", async () => {
  expect(await rounds(0).driven.runDue()).toBeUndefined();
  const { compared, driven, trust } = rounds();
  trust.isTrusted = false;
  expect(await driven.runDue()).toBeUndefined();
  expect(compared).toEqual([]);
});

it("records nothing of a comparison that was cut off", async () => {
  const { driven, store } = rounds();
  const end = new AbortController();
  end.abort();
  expect(await driven.runDue(end.signal)).toBeUndefined();
  expect(store.typesOf("comparison-domains")).toEqual([]);
});
