import { expect, it } from "vitest";

import { openPlans, temporaryLocation } from "../testing/harness.fixture.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** Creates checkpoints of three projections at the first position, and records the statements that move them. */
async function threeCheckpoints() {
  const { storage } = await openPlans(await temporaryLocation());
  await storage.exclusively(() => storage.ownership.tryAcquire(1));
  const inTransaction = (work: () => Promise<void>) => storage.exclusively(() => storage.transaction(work));
  await inTransaction(async () => {
    for (const projection of ["one", "two", "three"])
      await storage.checkpoints.save({
        projection,
        version: 1,
        position: 1n,
        tables: "{}",
        generation: 1,
        parked: null,
        last_event: `mark of ${projection}`,
      });
  });
  const states = async () =>
    Object.fromEntries(
      (await storage.checkpoints.all()).map((each) => [each.projection, [each.position, each.last_event]]),
    );
  const advance: Checkpoints["advance"] = (...moved) =>
    inTransaction(() => storage.checkpoints.advance(...moved));
  return { advance, states };
}

it("moves checkpoints at the same place, and no others", async () => {
  const { advance, states } = await threeCheckpoints();
  await advance(["one", "three"], 7n, "mark of the event");
  expect(await states()).toEqual({
    one: [7n, "mark of the event"],
    two: [1n, "mark of two"],
    three: [7n, "mark of the event"],
  });
});

it("leaves separate places unchanged", async () => {
  const { advance, states } = await threeCheckpoints();
  await advance(["one", "two", "three"], 2n ** 60n, null);
  expect(await states()).toEqual({
    one: [2n ** 60n, "mark of one"],
    two: [2n ** 60n, "mark of two"],
    three: [2n ** 60n, "mark of three"],
  });
});
