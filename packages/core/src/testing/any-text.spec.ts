import fc from "fast-check";
import { expect, it } from "vitest";

import { anyText } from "./any-text.ts";

const drawn = fc.sample(anyText(), { seed: 20_261_125, numRuns: 5_000 });

it("draws characters of all planes, and no halves of them", () => {
  expect(drawn.filter((text) => !text.isWellFormed())).toEqual([]);
  const planes = new Set(
    Array.from(drawn.join("")).map((character) => (character.codePointAt(0) ?? 0) >> 16),
  );
  expect(planes.size).toBe(17);
});

it("draws fast-check's usual edge cases, such as names that every object has", () => {
  expect(drawn.some((text) => text.includes("__proto__"))).toBe(true);
});

it("draws the requested number of characters", () => {
  const short = fc.sample(anyText({ minLength: 3, maxLength: 3 }), 100);
  expect(short.map((text) => Array.from(text).length)).toEqual(short.map(() => 3));
});
