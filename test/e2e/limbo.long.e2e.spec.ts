import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { auditBooks, readEventsOf } from "../support/books.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { limboCourse } from "../support/limbo-course.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let instance: InstanceProcess;

beforeEach(async () => {
  directory = temporaryDirectory();
  instance = await startInstanceProcess(directory.path);
});

afterEach(async () => {
  await instance.kill();
  directory.remove();
});

/** The one row of the sandbox's table that the acceptance suite shortens, at its true length and with all defaults. */
it("an order without an answer for 60 s is refunded at once; its name stays reserved, then is cancelled at the registrar and free", async () => {
  const testimony = await limboCourse(instance, (hasEnded) =>
    eventually(realTiming, hasEnded, { everyMs: 500 }),
  );
  expect(await instance.stop()).toBe(0);
  expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
});
