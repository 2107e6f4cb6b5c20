import { describe, expect, it } from "vitest";

import { isLeitwegId } from "./leitweg-id.ts";

describe("isLeitwegId", () => {
  it.each([
    ["991-03730-19", true],
    ["992-90009-96", true],
    ["991-33333TEST-33", true],
    ["04011000-1234512345-06", true],
    ["991-03730-18", false],
    ["991-03730", false],
    ["991-33333test-33", false],
    ["PO 12345", false],
    ["", false],
  ])("reads %j as %s", (text, expected) => {
    expect(isLeitwegId(text)).toBe(expected);
  });
});
