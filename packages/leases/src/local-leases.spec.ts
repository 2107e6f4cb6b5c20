import { expect, it } from "vitest";

import { describeLeasesContract, expectRoomForNine } from "./contract/leases.contract.ts";
import { createLocalLeases, type LeaseRoom } from "./local-leases.ts";

const room: LeaseRoom = new Map();
describeLeasesContract("within one process", () => Promise.resolve(createLocalLeases({ room })));

it("tells the holder of what is lost, and lets others have it", async () => {
  const shared: LeaseRoom = new Map();
  const first = createLocalLeases({ room: shared });
  const second = createLocalLeases({ room: shared });
  const lease = await first.tryAcquire("run-1");

  first.lose();

  expect(lease?.lost.aborted).toBe(true);
  expect(await second.tryAcquire("run-1")).toBeDefined();
  await lease?.release();
  expect(await first.tryAcquire("run-1")).toBeUndefined();
});

it("holds no more leases than it may", async () => {
  const leases = createLocalLeases({ heldLimit: 1 });
  const first = await leases.tryAcquire("a");

  expect(await leases.tryAcquire("b")).toBeUndefined();
  await first?.release();
  expect(await leases.tryAcquire("b")).toBeDefined();
});

it("has no room for more work while some are left to what is under way", async () => {
  await expectRoomForNine(createLocalLeases({ heldLimit: 10 }));
});
