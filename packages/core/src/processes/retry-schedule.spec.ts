import { describe, expect, it } from "vitest";

import { delayMs, failuresBeforeTicket, inquirySchedule, settlementSchedule } from "./retry-schedule.ts";

const delays = Array.from({ length: settlementSchedule.limit }, (_, index) =>
  delayMs(settlementSchedule, index + 1),
);
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const hourMs = 3_600_000;

describe("the schedule of repeated failures", () => {
  it("is frequent for some minutes, and slows down to hourly", () => {
    expect(delays.slice(0, 20)).toEqual([
      2_000,
      4_000,
      8_000,
      ...Array<number>(9).fill(15_000),
      30_000,
      60_000,
      120_000,
      240_000,
      480_000,
      960_000,
      1_920_000,
      hourMs,
    ]);
    expect(Math.max(...delays)).toBe(hourMs);
  });

  it("lasts a week, and staff get a ticket within minutes", () => {
    expect(sum(delays)).toBeGreaterThan(7 * 24 * hourMs);
    expect(sum(delays.slice(0, failuresBeforeTicket))).toBeLessThan(3 * 60_000);
  });

  it("stays brief while the customer waits", () => {
    expect([1, 2, 3, 4].map((attempts) => delayMs(inquirySchedule, attempts))).toEqual([
      300, 600, 1_000, 1_000,
    ]);
  });
});
