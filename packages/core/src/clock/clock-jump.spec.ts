import { describe, expect, it } from "vitest";

import { jumpAtStart, jumpFromDatabase, jumpWhileRunning, openJumpOf } from "./clock-jump.ts";
import type { ClockJump } from "./clock.events.ts";

const event = Date.UTC(2026, 10, 21);
const minute = 60_000;
const day = 86_400_000;
const at = (offsetMs: number): string => new Date(event + offsetMs).toISOString().replace("Z", "000Z");
const newestEventAt = at(0);

describe("a clock at the start of a process", () => {
  it.each([
    ["as the events", 0, undefined],
    ["five minutes behind", -5 * minute, undefined],
    ["a moment more behind", -5 * minute - 1, "behind"],
    ["a year behind", -365 * day, "behind"],
    ["thirty days ahead", 30 * day, undefined],
    ["a moment more ahead", 30 * day + 1, "ahead"],
  ] as const)("%s", (_, offsetMs, direction) => {
    const clockAt = at(offsetMs);
    const jump = jumpAtStart({ accepted: undefined }, { clockAt, newestEventAt, isMovedAhead: false });
    expect(jump).toEqual(
      direction === undefined
        ? undefined
        : { direction, expectedAt: newestEventAt, clockAt, expectedBy: "facts" },
    );
  });

  it("may show any time before the first event", () => {
    const starting = { clockAt: at(0), newestEventAt: undefined, isMovedAhead: false };
    expect(jumpAtStart({ accepted: undefined }, starting)).toBeUndefined();
  });

  it("moved ahead on purpose is confirmed ahead, not behind", () => {
    const directionAt = (offsetMs: number) =>
      jumpAtStart({ accepted: undefined }, { clockAt: at(offsetMs), newestEventAt, isMovedAhead: true })
        ?.direction;
    expect(directionAt(364 * day)).toBeUndefined();
    expect(directionAt(-day)).toBe("behind");
  });

  it("behind events whose times staff have declared wrong is accepted, unless it goes back further", () => {
    const accepted = {
      jumpId: "one",
      direction: "behind",
      expectedAt: newestEventAt,
      clockAt: at(-100 * day),
      expectedBy: "facts",
    } as const;
    const directionAt = (offsetMs: number, eventMs = 0) =>
      jumpAtStart({ accepted }, { clockAt: at(offsetMs), newestEventAt: at(eventMs), isMovedAhead: false })
        ?.direction;
    expect(directionAt(-99 * day)).toBeUndefined();
    expect(directionAt(-101 * day)).toBe("behind");
    expect(directionAt(-99 * day, day)).toBe("behind");
  });
});

describe("an unconfirmed jump", () => {
  const expected = { expectedAt: at(0), expectedBy: "facts" } as const;
  const behind: ClockJump = { jumpId: "b", direction: "behind", clockAt: at(-day), ...expected };
  const ahead: ClockJump = { jumpId: "a", direction: "ahead", clockAt: at(40 * day), ...expected };
  const openAt = (jump: ClockJump, offsetMs: number, isMovedAhead = false) =>
    openJumpOf({ open: [jump] }, { clockAt: at(offsetMs), isMovedAhead });

  it("survives a restart on its side of the events, and does not affect a corrected clock", () => {
    expect(openAt(behind, -day + minute)).toBe(behind);
    expect(openAt(behind, minute)).toBeUndefined();
    expect(openAt(ahead, 41 * day)).toBe(ahead);
    expect(openAt(ahead, day)).toBeUndefined();
    expect(openAt(ahead, 41 * day, true)).toBeUndefined();
  });

  it("is the latest of several", () => {
    const later = { ...behind, jumpId: "later" };
    expect(openJumpOf({ open: [behind, later] }, { clockAt: at(-day), isMovedAhead: false })).toBe(later);
    expect(openJumpOf({ open: [] }, { clockAt: at(-day), isMovedAhead: false })).toBeUndefined();
  });
});

it.each([
  [0, undefined],
  [5 * minute, undefined],
  [-5 * minute, undefined],
  [5 * minute + 1, "ahead"],
  [-5 * minute - 1, "behind"],
] as const)("a running clock that differs from the monotonic one by %i ms: %s", (offsetMs, direction) => {
  expect(jumpWhileRunning(at(0), at(offsetMs))?.direction).toBe(direction);
});

describe("a clock compared with the database's", () => {
  const none = { open: [], keptDifferences: [] };
  const jumpOf = (differenceMs: number, state: Parameters<typeof jumpFromDatabase>[0] = none) =>
    jumpFromDatabase(state, { expectedAt: at(0), clockAt: at(differenceMs) });

  it.each([
    [0, undefined],
    [5 * minute, undefined],
    [-5 * minute, undefined],
    [5 * minute + 1, "ahead"],
    [-5 * minute - 1, "behind"],
    [29 * day, "ahead"],
  ] as const)("that is ahead of it by %i ms: %s", (differenceMs, direction) => {
    expect(jumpOf(differenceMs)?.direction).toBe(direction);
  });

  it("may differ as staff confirmed, and in no other way", () => {
    const kept = { open: [], keptDifferences: [-day, 60 * minute] };
    expect(jumpOf(64 * minute, kept)).toBeUndefined();
    expect(jumpOf(-day, kept)).toBeUndefined();
    expect(jumpOf(66 * minute, kept)?.direction).toBe("ahead");
    expect(jumpOf(-60 * minute, kept)?.direction).toBe("behind");
  });

  it("is reported once per difference, however often it starts, and independent of other clocks", () => {
    const open: ClockJump = {
      jumpId: "d",
      direction: "ahead",
      expectedAt: at(-day),
      clockAt: at(60 * minute - day),
      expectedBy: "database",
    };
    const state = { open: [open], keptDifferences: [] };
    expect(jumpOf(61 * minute, state)).toBe(open);
    expect(jumpOf(70 * minute, state)).not.toHaveProperty("jumpId");
    expect(jumpOf(0, state)).toBeUndefined();
    expect(openJumpOf(state, { clockAt: at(day), isMovedAhead: false })).toBeUndefined();
  });
});
