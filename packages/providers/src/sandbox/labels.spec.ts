import { describe, expect, it } from "vitest";

import { behaviourOf, sandboxLabels } from "./labels.ts";

describe("behaviourOf", () => {
  it("behaves normally for a name without a label", () => {
    expect(behaviourOf("example.com")).toEqual({
      available: true,
      elsewhere: null,
      order: "carried-out",
      refusesNameservers: false,
      zoneRefusals: 0,
      callMs: 0,
    });
  });

  it.each(sandboxLabels)("finds $label at any place: $meaning", ({ label, behaviour }) => {
    for (const name of [`${label}.com`, `a-${label}-b.com`, `x${label}.de`]) {
      expect(behaviourOf(name)).toEqual({ ...behaviourOf("example.com"), ...behaviour });
    }
  });

  it("combines labels about different things", () => {
    expect(behaviourOf("slow-nozone-badns.com")).toMatchObject({
      callMs: 3_000,
      zoneRefusals: 3,
      refusesNameservers: true,
      order: "carried-out",
    });
  });

  it("prefers the upper row if two have the same topic", () => {
    expect(behaviourOf("lost-refused.com").order).toBe("rejected");
    expect(behaviourOf("refused-taken.com")).toMatchObject({ available: false, order: "rejected" });
  });
});
