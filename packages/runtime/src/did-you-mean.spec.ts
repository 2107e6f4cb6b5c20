import { describe, expect, it } from "vitest";

import { didYouMean } from "./did-you-mean.ts";

describe("didYouMean", () => {
  const known = ["HOST", "PORT", "ADMIN_PORT", "EVENT_STORE"];

  it.each([
    ["PROT", "PORT"],
    ["EVENTSTORE", "EVENT_STORE"],
    ["ADMINPORT", "ADMIN_PORT"],
    ["PORT", "PORT"],
  ])("takes %s for %s", (typed, meant) => {
    expect(didYouMean(typed, known)).toBe(meant);
  });

  it.each(["", "SOMETHING_ELSE", "X"])("has no idea about %j", (typed) => {
    expect(didYouMean(typed, known)).toBeUndefined();
  });
});
