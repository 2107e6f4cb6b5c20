import { describe, expect, it } from "vitest";

import {
  isHoldInForce,
  lastYearOver,
  legalHoldLimit,
  retention,
  type RetentionState,
} from "./retention.decider.ts";
import type { RetentionEvent } from "./retention.events.ts";

const at = "2026-03-01T10:00:00.000000Z";
const after = (...events: readonly RetentionEvent[]): RetentionState =>
  events.reduce((state, event) => retention.evolve(state, event), retention.initialState);
const held: RetentionEvent = {
  type: "LegalHoldPlaced",
  data: { accountId: 7, reason: "Lawsuit", until: "2036-12-31", placedAt: at },
};

describe("lastYearOver", () => {
  it.each([
    ["2026-03-01T10:00:00.000000Z", 2025],
    ["2035-01-01T23:59:59.999999Z", 2033],
    ["2035-01-02T00:00:00.000000Z", 2034],
  ])("%s: a year is over when it is over everywhere on Earth", (now, year) => {
    expect(lastYearOver(now)).toBe(year);
  });
});

describe("EndRetention", () => {
  const end = (now: string, state = after()) =>
    retention.decide({ type: "EndRetention", data: { at: now } }, state);

  it("ends the terms of the last year that is over, once", () => {
    const ended: RetentionEvent = {
      type: "RetentionEnded",
      data: { year: 2034, endedAt: "2035-06-01T00:00:00.000000Z" },
    };
    expect(end("2035-06-01T00:00:00.000000Z")).toEqual({ accepted: true, events: [ended] });
    expect(end("2035-07-01T00:00:00.000000Z", after(ended))).toEqual({ accepted: true, events: [] });
    // A clock that goes back ends nothing.
    expect(end("2030-07-01T00:00:00.000000Z", after(ended))).toEqual({ accepted: true, events: [] });
  });
});

describe("holds", () => {
  const place = (until: string | null, state = after(), accountId = 7) =>
    retention.decide({ type: "PlaceLegalHold", data: { accountId, reason: "Lawsuit", until, at } }, state);

  it("are placed, changed and released, and a repetition adds nothing", () => {
    expect(place("2036-12-31")).toEqual({ accepted: true, events: [held] });
    expect(place("2036-12-31", after(held))).toEqual({ accepted: true, events: [] });
    expect(place(null, after(held))).toMatchObject({ events: [{ data: { until: null } }] });
    const release = { type: "ReleaseLegalHold", data: { accountId: 7, reason: "Judgement", at } } as const;
    expect(retention.decide(release, after(held))).toEqual({
      accepted: true,
      events: [{ type: "LegalHoldReleased", data: { accountId: 7, reason: "Judgement", releasedAt: at } }],
    });
    expect(retention.decide(release, after())).toEqual({ accepted: true, events: [] });
  });

  it.each(["2026-02-28", "2036-02-30", "tomorrow", ""])("are refused until %j", (until) => {
    expect(place(until)).toMatchObject({
      accepted: false,
      rejection: { code: "validation-failed", detail: { fieldErrors: { until: [expect.any(String)] } } },
    });
  });

  it("have a limit", () => {
    const holds = new Map(
      Array.from({ length: legalHoldLimit }, (_, index) => [
        index + 1,
        { ...held.data, accountId: index + 1 },
      ]),
    );
    const full = { endedYear: 0, holds } as RetentionState;
    expect(place(null, full, legalHoldLimit + 1)).toMatchObject({ accepted: false });
    expect(place(null, full)).toMatchObject({ accepted: true });
  });

  it("are in force through their last day, and longer while the time is not certain", () => {
    const hold = { until: "2036-12-31" };
    expect(isHoldInForce(hold, "2036-12-31T23:00:00.000000Z")).toBe(true);
    expect(isHoldInForce(hold, "2037-01-01T00:00:00.000000Z")).toBe(false);
    expect(isHoldInForce(hold, undefined)).toBe(true);
    expect(isHoldInForce({ until: null }, "2999-01-01T00:00:00.000000Z")).toBe(true);
  });
});
