import { manualClock, type ManualClock } from "@hostledger/runtime";
import { beforeEach, describe, expect, it } from "vitest";

import { done, unknown, type Outcome } from "../outcome.ts";
import { VatIdChecks, vatIdLimits, type AccountVatId } from "./vat-id-checks.ts";
import type { VatIdAnswer } from "./vat-ids.port.ts";

const dutch = { accountId: 7, vatId: "NL004495445B01", name: "Registered BV", askedBy: "DE123456788" };
const valid = done({ isValid: true, consultationNumber: "WAPI1" });
const minuteMs = 60_000;
const dayMs = 86_400_000;

let clock: ManualClock;
let asked: string[];
let answer: Outcome<VatIdAnswer>;
let checks: VatIdChecks;
const ask = (given: Partial<AccountVatId> = {}) => checks.check({ ...dutch, ...given });

beforeEach(() => {
  clock = manualClock("2026-03-01T10:00:00Z");
  asked = [];
  answer = valid;
  const register = {
    check(vatId: string) {
      asked.push(vatId);
      return Promise.resolve(answer);
    },
  };
  checks = new VatIdChecks(register, clock);
});

/** Returns Danish VAT ids with the right check digit (modulus 11). */
function danish(count: number): string[] {
  const weights = [2, 7, 6, 5, 4, 3, 2, 1];
  const isRight = (digits: string) =>
    weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11 === 0;
  return Array.from({ length: 99_000 }, (_, at) => String(10_000_000 + at))
    .filter(isRight)
    .slice(0, count)
    .map((digits) => `DK${digits}`);
}

describe("a check of a VAT id", () => {
  it("returns the register's answer and its time", async () => {
    expect(await ask()).toEqual({
      outcome: "valid",
      consultationNumber: "WAPI1",
      answeredAt: clock.now(),
    });
  });

  it.each(["NL004495446B01", "DE123456789", "DE1", "CHE107787577", "XI980780684"])(
    "of %s sends no question: no member state issued such a VAT id for services",
    async (vatId) => {
      expect(await ask({ vatId })).toMatchObject({ outcome: "invalid", consultationNumber: "" });
      expect(asked).toEqual([]);
    },
  );

  it("without an answer gives the reason, and asks again the next time", async () => {
    answer = unknown("VIES has no answer at present (MS_UNAVAILABLE).");
    const unanswered = { outcome: "unanswered", because: "VIES has no answer at present (MS_UNAVAILABLE)." };
    expect(await ask()).toEqual(unanswered);
    answer = valid;
    expect(await ask()).toMatchObject({ outcome: "valid" });
    expect(asked).toHaveLength(2);
  });

  it("caches a good answer for some days, with the time of the answer", async () => {
    const first = await ask();
    clock.advance(vatIdLimits.cacheDays * dayMs - 1);
    expect(await ask({ accountId: 8 })).toEqual(first);
    expect(asked).toHaveLength(1);
    clock.advance(1);
    expect(await ask()).toMatchObject({ answeredAt: clock.now() });
    expect(asked).toHaveLength(2);
  });

  it("caches a bad answer for an hour", async () => {
    answer = done({ isValid: false, consultationNumber: "" });
    expect(await ask()).toMatchObject({ outcome: "invalid" });
    answer = valid;
    expect(await ask()).toMatchObject({ outcome: "invalid" });
    clock.advance(60 * minuteMs);
    expect(await ask()).toMatchObject({ outcome: "valid" });
  });

  it("asks again for another seller, whose consultation number is another", async () => {
    await ask();
    await ask({ askedBy: "DE136695976" });
    expect(asked).toHaveLength(2);
  });
});

describe("the limits", () => {
  it("thousands of VAT ids of one customer cost ten questions a day", async () => {
    const vatIds = danish(3_000);
    expect(vatIds).toHaveLength(3_000);
    const outcomes = await Promise.all(vatIds.map(async (vatId) => (await ask({ vatId })).outcome));
    expect(asked).toEqual(vatIds.slice(0, vatIdLimits.perAccountAndDay));
    expect(new Set(outcomes)).toEqual(new Set(["valid", "postponed"]));
    clock.advance(dayMs);
    expect(await ask({ vatId: vatIds.at(-1) ?? "" })).toMatchObject({ outcome: "valid" });
  });

  it("let no customer wait for another's VAT ids", async () => {
    for (const vatId of danish(20)) await ask({ vatId });
    expect(await ask({ accountId: 8 })).toMatchObject({ outcome: "valid" });
  });

  it("hold all customers together to some questions a minute", async () => {
    for (const [at, vatId] of danish(100).entries()) await ask({ accountId: at, vatId });
    expect(asked).toHaveLength(vatIdLimits.perMinute);
    clock.advance(minuteMs);
    expect(await ask()).toMatchObject({ outcome: "valid" });
  });
});
