import { describe, expect, it, test } from "vitest";

import { addressLimit, addressOf, nodeOf, reverseNameOf } from "./sandbox-compute.adapter.ts";

describe("addressOf", () => {
  it.each([
    [0, "192.0.2.1"],
    [253, "192.0.2.254"],
    [254, "198.51.100.1"],
    [508, "203.0.113.1"],
    [761, "203.0.113.254"],
    [762, "10.0.0.1"],
    [762 + 254, "10.0.1.1"],
    [762 + 254 * 256, "10.1.0.1"],
    [addressLimit - 1, "10.255.255.254"],
  ])("place %i has %s", (place, address) => {
    expect(addressOf(place)).toBe(address);
  });

  test("no two of the first 100,000 places share an address", () => {
    const addresses = Array.from({ length: 100_000 }, (_, place) => addressOf(place));
    expect(new Set(addresses)).toHaveLength(addresses.length);
  });
});

describe("names of a place", () => {
  it("contain the region in letters, digits and dashes, for every code", () => {
    expect(nodeOf(0, "FRA 1")).toBe("fra-1-node-1");
    expect(nodeOf(50, "fra1")).toBe("fra1-node-2");
    expect(nodeOf(0, "·")).toBe("region-node-1");
    expect(reverseNameOf(0, "FRA 1")).toBe("192-0-2-1.fra-1.servers.example");
  });
});
