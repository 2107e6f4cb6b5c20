import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { clock, keptDifferenceLimit, openJumpLimit, type NoticeClockJump } from "./clock.decider.ts";
import type { ClockEvent, ClockJump } from "./clock.events.ts";

const spec = deciderSpec(clock);
const at = "2026-01-01T00:00:00.000000Z";
const jump = (jumpId: string): ClockJump => ({
  jumpId,
  direction: "behind",
  expectedAt: "2027-01-01T00:00:00.000000Z",
  clockAt: at,
  expectedBy: "facts",
});
const notice = (jumpId: string): NoticeClockJump => ({ type: "NoticeClockJump", data: jump(jumpId) });
const noticed = (jumpId: string): ClockEvent => ({ type: "ClockJumpNoticed", data: jump(jumpId) });
const accepted = (...jumpIds: string[]): ClockEvent => ({
  type: "ClockAccepted",
  data: { jumpIds, acceptedAt: at },
});
const accept = { type: "AcceptClock", data: { at } } as const;

describe("the clocks of the processes over one store", () => {
  it("report a jump once", () => {
    spec.given().when(notice("one")).then(noticed("one"));
    spec.given(noticed("one")).when(notice("one")).then();
    spec.given(noticed("one")).when(notice("two")).then(noticed("two"));
  });

  it("are confirmed all at once, and another jump is reported again", () => {
    spec.given(noticed("one"), noticed("two")).when(accept).then(accepted("one", "two"));
    spec.given(noticed("one"), accepted("one")).when(notice("three")).then(noticed("three"));
  });

  it("need no confirmation without an open jump", () => {
    spec.given().when(accept).then();
    spec.given(noticed("one"), accepted("one")).when(accept).then();
  });

  it("report a limited number of jumps", () => {
    const many = Array.from({ length: openJumpLimit }, (_, index) => noticed(`jump-${String(index)}`));
    spec
      .given(...many)
      .when(notice("one more"))
      .then();
  });

  it("store the last jump that was confirmed", () => {
    const events = [noticed("one"), noticed("two"), accepted("one", "two")];
    expect(events.reduce(clock.evolve, clock.initialState)).toEqual({
      open: [],
      accepted: jump("two"),
      keptDifferences: [],
    });
  });

  it("accept a difference from the database once, and a limited number of differences", () => {
    const keep = (aheadMs: number) =>
      ({ type: "KeepClockDifference", data: { jumpId: "one", aheadMs, at } }) as const;
    const kept = (aheadMs: number): ClockEvent => ({
      type: "ClockDifferenceKept",
      data: { jumpId: "one", aheadMs, keptAt: at },
    });
    const hour = 3_600_000;
    spec.given(noticed("one"), accepted("one")).when(keep(hour)).then(kept(hour));
    spec
      .given(kept(hour))
      .when(keep(hour + 1_000))
      .then();
    spec.given(kept(hour)).when(keep(-hour)).then(kept(-hour));
    const many = Array.from({ length: keptDifferenceLimit + 1 }, (_, index) => kept(index * hour));
    const { keptDifferences } = many.reduce(clock.evolve, clock.initialState);
    expect([keptDifferences.length, keptDifferences[0]]).toEqual([keptDifferenceLimit, hour]);
  });

  it("cannot be confirmed without a reported jump", () => {
    expect(() => clock.evolve(clock.initialState, accepted("one"))).toThrow(CorruptStreamError);
  });
});
