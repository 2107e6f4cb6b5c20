import { expect, it } from "vitest";

import { countryCodes, isCountry } from "./countries.ts";

it("knows the 249 codes that ISO 3166-1 has assigned, each once", () => {
  expect(new Set(countryCodes).size).toBe(249);
  expect(countryCodes).toEqual(countryCodes.toSorted());
  expect(["DE", "GB", "EU", "UK", "de", "XX", "", "D"].filter(isCountry)).toEqual(["DE", "GB"]);
});
