import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { isQuotaName, quotaCatalogue, quotaNames, ticketBytes } from "./quota.catalogue.ts";
import { quota, quotaValue, standingRefusal, takenOn, type QuotaCommand } from "./quota.decider.ts";
import type { QuotaEvent } from "./quota.events.ts";

const spec = deciderSpec(quota);
const at = "2026-11-22T23:00:00.000000Z";
const tomorrow = "2026-11-23T00:00:00.000000Z";

const setTo = (
  value: number | null,
  name: (typeof quotaNames)[number] = "free_writes_a_day",
): QuotaEvent => ({
  type: "QuotaSet",
  data: { accountId: 7, quota: name, value, reason: "Asked for.", setAt: at },
});
const set = (value: number | null): QuotaCommand => ({
  type: "SetQuota",
  data: { accountId: 7, quota: "free_writes_a_day", value, reason: "Asked for.", at },
});
const taken = (amount: number, takenAt = at, day = takenAt.slice(0, 10)): QuotaEvent => ({
  type: "QuotaTaken",
  data: { accountId: 7, quota: "free_writes_a_day", day, amount, takenAt },
});
const take = (amount = 1, when = at): QuotaCommand => ({
  type: "TakeQuota",
  data: { accountId: 7, quota: "free_writes_a_day", amount, at: when },
});
const anHour = { quota: "free_writes_a_day", retryAfterSeconds: 3_600 };

describe("the quotas of an account", () => {
  it("are the standard ones until staff set others", () => {
    const { initialState } = quota;
    for (const name of quotaNames) expect(quotaValue(initialState, name)).toBe(quotaCatalogue[name].standard);
    spec.given().when(set(3)).then(setTo(3));
    spec.given(setTo(3)).when(set(null)).then(setTo(null));
    expect(quotaValue([setTo(3), setTo(null)].reduce(quota.evolve, initialState), "free_writes_a_day")).toBe(
      5_000,
    );
  });

  it("are set once", () => {
    spec.given().when(set(null)).thenNothing();
    spec.given(setTo(3)).when(set(3)).thenNothing();
  });
});

describe("a daily quota", () => {
  it("is taken in shares, of which twenty make the day's quota", () => {
    spec.given().when(take()).then(taken(250));
    spec.given(setTo(3)).when(take()).then(taken(1));
    spec.given(setTo(100)).when(take(40)).then(taken(40));
    spec.given(setTo(100), taken(97)).when(take(2)).then(taken(3));
  });

  it("is refused until midnight when it is used up", () => {
    spec.given(setTo(0)).when(take()).thenRejected("quota-exceeded", anHour);
    spec.given(setTo(10), taken(8)).when(take(3)).thenRejected("quota-exceeded", anHour);
    spec.given(setTo(10), taken(10)).when(take()).thenRejected("quota-exceeded", anHour);
    spec.given(setTo(10), taken(10)).when(take(1, tomorrow)).then(taken(1, tomorrow));
  });

  it("may be set below the present use", () => {
    spec.given(taken(250), setTo(5)).when(take()).thenRejected("quota-exceeded");
  });

  it("is taken from the new day if another process is still in the old one", () => {
    spec
      .given(setTo(10), taken(9, tomorrow))
      .when(take(1, at))
      .then(taken(1, at, "2026-11-23"));
    spec.given(setTo(10), taken(10, tomorrow)).when(take(1, at)).thenRejected("quota-exceeded");
  });

  it("never returns to an earlier day", () => {
    expect(() => [taken(1, tomorrow), taken(1, at)].reduce(quota.evolve, quota.initialState)).toThrow(
      CorruptStreamError,
    );
  });

  it("never grants more than its limit, and all of it in single units", () => {
    fc.assert(
      fc.property(
        fc.nat(200),
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
        (value, amounts) => {
          let state = quota.evolve(quota.initialState, setTo(value));
          const given = (amount: number): boolean => {
            const decision = quota.decide(take(amount), state);
            if (decision.accepted) state = decision.events.reduce(quota.evolve, state);
            return decision.accepted;
          };
          for (const amount of amounts) given(amount);
          expect(takenOn(state, "free_writes_a_day", at)).toBeLessThanOrEqual(value);
          while (given(1));
          expect(takenOn(state, "free_writes_a_day", at)).toBe(value);
          expect(takenOn(state, "free_writes_a_day", tomorrow)).toBe(0);
        },
      ),
    );
  });
});

describe("a standing quota", () => {
  it("is refused when it is reached", () => {
    const state = quota.evolve(quota.initialState, setTo(2, "open_tickets"));
    expect(standingRefusal(state, "open_tickets", 1)).toBeUndefined();
    expect(standingRefusal(state, "open_tickets", 2)).toMatchObject({
      code: "quota-exceeded",
      message: expect.stringContaining("2 tickets of the account that are open"),
      detail: { quota: "open_tickets", retryAfterSeconds: 3_600 },
    });
  });
});

describe("a ticket", () => {
  it("counts at least 1 KiB", () => {
    expect([0, 1, 1_024, 1_025].map(ticketBytes)).toEqual([1_024, 1_024, 1_024, 1_025]);
  });
});

it("a quota has a name in the catalogue", () => {
  expect(quotaNames.every(isQuotaName)).toBe(true);
  expect(["toString", "", "open-tickets"].some(isQuotaName)).toBe(false);
  expect(new Set(quotaNames)).toEqual(new Set(Object.keys(quotaCatalogue)));
});
