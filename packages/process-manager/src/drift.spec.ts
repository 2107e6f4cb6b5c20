import { difference, type Difference } from "@hostledger/core";
import { expect, it } from "vitest";

import { DriftRound } from "./drift.ts";

it("mends one thing at a time, since a provider's database may lock itself against two", async () => {
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
