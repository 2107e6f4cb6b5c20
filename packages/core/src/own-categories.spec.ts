import { expect, it } from "vitest";

import { hostingCodec, hostingEvents, type HostingEvent } from "./hosting-events.ts";
import { accountIdOf, codecOfCategory, ownCategories } from "./own-categories.ts";

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

it.each(ownCategories.filter((category) => category !== "transfer"))(
  "the events of a %s stream are checked against each other",
  (category) => {
    expect(codecOfCategory(category)?.fold).toBeDefined();
  },
);

it("each event of a category with two aggregates is folded by its own rules", () => {
  const fold = codecOfCategory("installation")?.fold;
  const named: HostingEvent = {
    type: "InstallationNamed",
    data: { part: "k3x7m2", hadOrders: false, namedAt: "2026-03-01T10:00:00.000000Z" },
  };
  expect(fold?.evolve(fold.initialState, named)).toContainEqual({
    part: "k3x7m2",
    knowsPlainIds: false,
    isCopy: false,
  });
});

it("reads the account id in the name of an account's stream", () => {
  expect(accountIdOf("account-4711")).toBe(4711);
});
