import { expect, it } from "vitest";

import { growthChart } from "./growth-chart.ts";

const drawn = growthChart(
  [10_000, 100_000, 1_000_000],
  [
    { what: "flat <ms>", ratios: [1, 1, 1] },
    { what: "grows", ratios: [1, 2, 4] },
  ],
);

it("draws constant values at one height, and growing values higher at each size", () => {
  const heights = [...drawn.matchAll(/<polyline points="([^"]+)"/g)].map(([, points = ""]) =>
    points.split(" ").map((point) => Number(point.split(",")[1])),
  );
  expect(new Set(heights[0]).size).toBe(1);
  const [first = 0, second = 0, third = 0] = heights[1] ?? [];
  expect(first).toBe(heights[0]?.[0]);
  expect(first - second).toBeCloseTo(second - third, 0);
  expect(third).toBeLessThan(second);
});

it("labels each curve with its last value, and each size", () => {
  expect(drawn).toContain("4.00 ×  grows");
  expect(drawn).toContain("1.00 ×  flat &lt;ms>");
  for (const size of ["10,000", "100,000", "1,000,000"]) expect(drawn).toContain(`>${size}</text>`);
});
