import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { AddRegion } from "./catalogue.commands.ts";
import { commands, samples } from "./catalogue.fixture.ts";
import { region } from "./region.decider.ts";

const spec = deciderSpec(region);

function addRegion(data: Partial<AddRegion["data"]> = {}): AddRegion {
  return { type: "AddRegion", data: { ...commands.AddRegion.data, ...data } };
}

describe("a region", () => {
  it("is added, once", () => {
    spec.given().when(addRegion()).then(samples.RegionAdded);
    spec.given(samples.RegionAdded).when(addRegion()).thenNothing();
  });

  it("has names of one trimmed line", () => {
    spec
      .given()
      .when(addRegion({ code: " nbg ", location: " Nuremberg\n" }))
      .then(samples.RegionAdded);
  });

  it.each<[Partial<AddRegion["data"]>, Readonly<Record<string, readonly string[]>>]>([
    [{ code: "" }, { code: ["must be 1 to 20 characters long"] }],
    [{ code: "x".repeat(21) }, { code: ["must be 1 to 20 characters long"] }],
    [{ location: "" }, { location: ["must be 1 to 100 characters long"] }],
    [{ location: "x".repeat(101) }, { location: ["must be 1 to 100 characters long"] }],
    [
      { code: "a\tb", location: "\ud800" },
      {
        code: ["must be one line of well-formed text"],
        location: ["must be one line of well-formed text"],
      },
    ],
  ])("is refused with %o", (data, fieldErrors) => {
    spec.given().when(addRegion(data)).thenRejected("validation-failed", { fieldErrors });
  });

  it("may have names as long as that", () => {
    const decision = region.decide(
      addRegion({ code: "x".repeat(20), location: "x".repeat(100) }),
      region.initialState,
    );
    expect(decision.accepted).toBe(true);
  });

  it("folds to its names", () => {
    expect(region.evolve(region.initialState, samples.RegionAdded)).toEqual({
      status: "open",
      regionId: 3,
      code: "nbg",
      location: "Nuremberg",
    });
    expect(() =>
      [samples.RegionAdded, samples.RegionAdded].reduce(region.evolve, region.initialState),
    ).toThrow(CorruptStreamError);
  });
});
