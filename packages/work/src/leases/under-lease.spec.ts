import { expect, it } from "vitest";

import { createLocalLeases, type LeaseRoom } from "./local-leases.ts";
import { runUnderLease } from "./under-lease.ts";

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}

it("works in one process at a time, and continues in the other after the first has lost its leases", async () => {
  const room: LeaseRoom = new Map();
  const [first, second] = [createLocalLeases({ room }), createLocalLeases({ room })];
  const end = new AbortController();
  const log: string[] = [];
  const taken = Promise.withResolvers<undefined>();
  const one = runUnderLease(
    first,
    "worker",
    async (signal) => {
      log.push("first");
      await untilAborted(signal);
    },
    end.signal,
  );
  const two = runUnderLease(
    second,
    "worker",
    async (signal) => {
      log.push("second");
      taken.resolve(undefined);
      await untilAborted(signal);
    },
    end.signal,
  );
  await Promise.resolve();
  expect(log).toEqual(["first"]);

  first.lose();
  await first.close();
  await taken.promise;
  end.abort();
  await Promise.all([one, two]);

  expect(log).toEqual(["first", "second"]);
  expect(await createLocalLeases({ room }).tryAcquire("worker")).toBeDefined();
});

it("works without leases if there is only one process", async () => {
  let runs = 0;
  await runUnderLease(
    undefined,
    "worker",
    () => {
      runs += 1;
      return Promise.resolve();
    },
    new AbortController().signal,
  );
  expect(runs).toBe(1);
});
