import { describe, expect, it } from "vitest";

import { verdictOn } from "./advisories-verdict.ts";

const lockfile = "ab".repeat(32);
const now = new Date("2026-11-22T12:00:00Z");
const snapshot = { fetchedAt: "2026-11-01T12:00:00Z", lockfile, advisories: {}, accepted: {} };
const hole = { module: "left-pad", severity: "high", title: "Pads right", url: "https://example.com/1" };

describe("the check of advisories", () => {
  it("is content with a fresh snapshot of this lockfile that names none", () => {
    expect(verdictOn(snapshot, { lockfile, now })).toEqual([]);
  });

  it.each([
    ["without a snapshot", undefined, "There is no snapshot"],
    ["with an old one", { ...snapshot, fetchedAt: "2026-10-23T11:59:59Z" }, "it counts for 30 days"],
    ["with one of tomorrow", { ...snapshot, fetchedAt: "2026-11-23T12:00:00Z" }, "it counts for 30 days"],
    ["with one of no date", { ...snapshot, fetchedAt: "soon" }, "it counts for 30 days"],
    ["with one of another lockfile", { ...snapshot, lockfile: "cd".repeat(32) }, "about another lockfile"],
    ["where a package has a hole", { ...snapshot, advisories: { "1": hole } }, "left-pad: Pads right (high"],
  ])("fails %s", (_what, given, clause) => {
    const faults = verdictOn(given, { lockfile, now });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(clause);
  });

  it("accepts an advisory that is recorded as irrelevant, with the reason", () => {
    const accepted = { "1": "Nothing of ours pads anything." };
    expect(verdictOn({ ...snapshot, advisories: { "1": hole }, accepted }, { lockfile, now })).toEqual([]);
  });
});
