import { type VirtualClock, eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { auditBooks, readEventsOf } from "../support/books.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { limboCourse } from "../support/limbo-course.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let clock: VirtualClock;
let instance: Instance;

beforeEach(async () => {
  directory = temporaryDirectory();
  clock = virtualClock();
  instance = await startInstance({ data: directory.path, clock });
});

afterEach(async () => {
  await instance.close();
  directory.remove();
});

/** The sandbox's `limbo` at its length and with all defaults, in virtual time; `limbo.long.e2e` waits for it truly. */
it("an order without an answer for 60 s is refunded at once; its name stays reserved, then is cancelled at the registrar and free", async () => {
  const testimony = await limboCourse(instance, (hasEnded) =>
    eventually(clock, hasEnded, { everyMs: 1_000 }),
  );
  await instance.close();
  expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
});
