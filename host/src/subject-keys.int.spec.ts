import { join } from "node:path";

import { createLocalLeases, type LeaseRoom } from "@hostledger/work/leases";
import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import { InMemoryEventStore } from "@hostledger/read/testing";
import { createShutdown, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { finishErasures } from "./subject-keys.ts";

it("one of several processes with shared keys follows the log for erasures, and another one after its end", async () => {
  const store = new InMemoryEventStore();
  const subscribe = vi.spyOn(store, "subscribe");
  const directory = directoryOfTest();
  const keys = openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") });
  onTestFinished(() => keys.close());
  const room: LeaseRoom = new Map();
  const logger = silentLogger();
  const start = () => {
    const shutdown = createShutdown({ logger, stepLimitMs: 5_000 });
    finishErasures({ logger, shutdown }, store, { keys, leases: createLocalLeases({ room }) });
    onTestFinished(async () => {
      await shutdown.run();
    });
    return shutdown;
  };
  const first = start();
  start();
  await vi.waitFor(() => {
    expect(subscribe).toHaveBeenCalledTimes(1);
  });

  await first.run();
  await vi.waitFor(
    () => {
      expect(subscribe).toHaveBeenCalledTimes(2);
    },
    { timeout: 10_000 },
  );
});
