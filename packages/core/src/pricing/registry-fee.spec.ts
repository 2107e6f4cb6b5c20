import { expect, it } from "vitest";

import { coversFee, currencyObjection, type RegistryFee } from "./registry-fee.ts";

const fee: RegistryFee = { cents: 1_000n, currency: "EUR", isPremium: false };

it.each<[string, boolean, Partial<RegistryFee>]>([
  ["the same amount", true, {}],
  ["less", true, { cents: 999n }],
  ["nothing", true, { cents: 0n }],
  ["a cent more", false, { cents: 1_001n }],
  ["the same figure in another currency", false, { currency: "USD" }],
  ["less in another currency", false, { cents: 1n, currency: "USD" }],
  ["less without a currency", false, { cents: 1n, currency: "" }],
  ["a premium name, however cheap", false, { cents: 1n, isPremium: true }],
  ["a premium name in another currency", false, { currency: "USD", isPremium: true }],
])("ten euros and a fee of %s: %s", (_, isCovered, change) => {
  expect(coversFee(1_000n, { ...fee, ...change })).toBe(isCovered);
});

it.each([
  ["EUR", undefined],
  ["USD", "is in USD, and the price list is in EUR"],
  ["", "is without a currency, and the price list is in EUR"],
])("a fee in %j is refused with its currency", (currency, reason) => {
  const said = currencyObjection({ ...fee, currency });
  if (reason === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(reason);
});
