import { defined } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { describeLeasesContract } from "./contract/leases.contract.ts";
import { createLocalLeases, type LeaseRoom } from "./local-leases.ts";

const room: LeaseRoom = new Map();
describeLeasesContract("within one process", (heldLimit) =>
  Promise.resolve(createLocalLeases({ room, ...defined({ heldLimit }) })),
);

it("notifies the holder of a lost lease, and gives the lease to others", async () => {
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
