import { describe, expect, it } from "vitest";

import { shareAmong } from "./top-up-shares.ts";

const topUps = ["a", "b"].map((paymentKey) => ({ paymentKey, requestedCents: 5_000n }));
const shares = (cents: bigint, received: Readonly<Record<string, bigint>> = {}, named = topUps) =>
  Object.fromEntries(
    shareAmong(cents, named, (key) => received[key] ?? 0n).map((one) => [one.paymentKey, one.amountCents]),
  );

describe("a payment that names several top-ups", () => {
  it.each([
    ["exactly both", 10_000n, {}, { a: 5_000n, b: 5_000n }],
    ["the first one", 5_000n, {}, { a: 5_000n }],
    ["a part of the first one", 2_000n, {}, { a: 2_000n }],
    ["the first one and a part of the second one", 6_000n, {}, { a: 5_000n, b: 1_000n }],
    ["more than both", 12_000n, {}, { a: 5_000n, b: 7_000n }],
    ["what the first one still waits for", 6_000n, { a: 3_000n }, { a: 2_000n, b: 4_000n }],
    ["the second one, because the first one is paid", 5_000n, { a: 6_000n }, { b: 5_000n }],
    ["the second one again, because both are paid", 1_000n, { a: 5_000n, b: 5_000n }, { b: 1_000n }],
  ])("pays %s", (_what, cents, received, expected) => {
    expect(shares(cents, received)).toEqual(expected);
  });

  it("pays one top-up whole, whatever it waits for, and none without a name", () => {
    expect(shares(7_000n, {}, topUps.slice(0, 1))).toEqual({ a: 7_000n });
    expect(shares(7_000n, {}, [])).toEqual({});
  });
});
