import { expect, it } from "vitest";

import { defaultZoneRecords } from "./default-zone.ts";

it("holds the apex and www, type A, for an hour, at the parking address", () => {
  expect(defaultZoneRecords("192.0.2.1")).toEqual([
    { type: "A", name: "@", value: "192.0.2.1", ttlSeconds: 3_600 },
    { type: "A", name: "www", value: "192.0.2.1", ttlSeconds: 3_600 },
  ]);
});
