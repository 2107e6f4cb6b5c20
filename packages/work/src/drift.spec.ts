import { difference, UnreadableEventError, type Difference } from "@hostledger/core";
import { expect, it } from "vitest";

import { DriftRound } from "./drift.ts";

it("repairs one thing at a time, because two could lock a provider's database", async () => {
  const broken = new Set(Array.from({ length: 20 }, (_, index) => `name-${String(index)}.com`));
  const things = [...broken];
  const differenceOf = (name: string): Difference =>
    difference("zone-records", name, { expected: "so", found: "otherwise" });
  let underWay = 0;
  const round = new DriftRound(true);
  await round.compare(things, {
    look: (name) => Promise.resolve(broken.has(name) ? [differenceOf(name)] : []),
    async mend(name) {
      underWay += 1;
      // Other work has its turn here.
      await Promise.resolve();
      if (underWay === 1) broken.delete(name);
      underWay -= 1;
    },
  });
  const { differences } = round.report();
  expect(differences.map(({ resource }) => resource).sort()).toEqual(things.sort());
  expect(differences.filter(({ mended }) => !mended)).toEqual([]);
});

it("names resources that cannot be compared because of their events, and compares the rest", async () => {
  const place = { stream: "domain-zzz.com", revision: 3n, position: 9n, id: "e-1", type: "DomainRenewed.v1" };
  const round = new DriftRound(false);
  await round.compare(["zzz.com", "other.com"], {
    look: (name) =>
      name === "zzz.com"
        ? Promise.reject(new UnreadableEventError(place, "damaged", "the data is not JSON"))
        : Promise.resolve([difference("zone-records", name, { expected: "so", found: "otherwise" })]),
    mend: () => Promise.resolve(),
  });
  const { differences, unanswered } = round.report();
  expect(differences).toMatchObject([{ resource: "other.com" }]);
  expect(unanswered).toEqual([
    "zzz.com was not compared, because an event cannot be read: domain-zzz.com@3 (DomainRenewed.v1): the data is not JSON.",
  ]);
});
