import { expect, it } from "vitest";

import { ignoring } from "./ignoring.ts";

it("names every event of the families as ignored", () => {
  expect(ignoring({ PlanAdded: {}, PlanRetired: {} }, { RegionAdded: {} })).toEqual({
    PlanAdded: "ignored",
    PlanRetired: "ignored",
    RegionAdded: "ignored",
  });
});

it("names nothing without a family", () => {
  expect(ignoring()).toEqual({});
});
