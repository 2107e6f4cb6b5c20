import { expect, it } from "vitest";

import { hostingCodec, hostingEvents, type HostingEvent } from "./hosting-events.ts";
import { codecOfCategory, ownCategories } from "./own-categories.ts";

const types = Object.keys(hostingEvents) as readonly HostingEvent["type"][];

it.each(types)("%s can be read in the streams of some category", (type) => {
  const stored = hostingCodec.storedType(type);
  expect(ownCategories.filter((category) => codecOfCategory(category)?.knows(stored))).not.toEqual([]);
});

it("an event of another category cannot be read", () => {
  expect(codecOfCategory("domain")?.knows("BalanceCharged.v1")).toBe(false);
  expect(codecOfCategory("account")?.knows("BalanceCharged.v1")).toBe(true);
  expect(codecOfCategory("shop")).toBeUndefined();
});
