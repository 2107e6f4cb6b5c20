import { expect, it } from "vitest";

import { coversFee, type RegistryFee } from "./registry-fee.ts";

const fee: RegistryFee = { cents: 1_000n, currency: "EUR", isPremium: false };

it.each<[string, boolean, Partial<RegistryFee>]>([
  ["the same amount", true, {}],
  ["less", true, { cents: 999n }],
  ["nothing", true, { cents: 0n }],
  ["a cent more", false, { cents: 1_001n }],
  ["another currency", true, { cents: 100_000n, currency: "USD" }],
  ["a premium name, however cheap", false, { cents: 1n, isPremium: true }],
  ["a premium name in another currency", false, { currency: "USD", isPremium: true }],
])("ten euros and a fee of %s: %s", (_, isCovered, change) => {
  expect(coversFee(1_000n, { ...fee, ...change })).toBe(isCovered);
});
