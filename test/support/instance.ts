import { readFileSync } from "node:fs";
import { join } from "node:path";

import { withAppend, type EventStore, type Position } from "@hostledger/store";
import { startParts, type PartDecorators, type StartedParts } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { newDatabase, testsRunOnPostgres } from "@hostledger/read/testing";
import { createStaffClient, partNames, type StaffClient } from "@hostledger/rpc";
import {
  defined,
  claimDataDirectory,
  parseClockOffset,
  silentLogger,
  systemClock,
  type Logger,
} from "@hostledger/runtime";
import { type VirtualClock, temporaryDirectory } from "@hostledger/runtime/testing";

import { openTestEngine } from "./test-engine.ts";
import { whileBusy } from "./while-busy.ts";
import { openTestProviders } from "./test-providers.ts";

/** A whole instance in the test's own process. */
export interface Instance extends StartedParts {
  readonly staff: StaffClient;
  readonly data: string;
  /**
   * The position of the last event that it has written, archived documents left out; undefined before the first. It is the end
   * of the log only where nobody else writes.
   */
  lastWritten(): Position | undefined;
}

/** Changes to the defaults. */
export interface InstanceOptions {
  /** Data of an earlier instance; a new directory without it, removed at the end. */
  readonly data?: string;
  /** `HOSTLEDGER_*` variables. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly decorate?: PartDecorators;
  /** Waiting costs nothing: see `virtualClock`. The machine's clock without it. */
  readonly clock?: VirtualClock;
  /** Providers; default: those of the test run (`TEST_PROVIDERS`). */
  readonly providers?: typeof openTestProviders;
  /** Writes nothing by default. */
  readonly logger?: Logger;
}

/** Starts an instance on free ports, on the event store and with the providers that the tests are run with. Close it at the end. */
export async function startInstance({
  data,
  environment = {},
  decorate = {},
  clock,
  logger = silentLogger(),
  providers: openProviders = openTestProviders,
}: InstanceOptions = {}): Promise<Instance> {
  const directory = data === undefined ? temporaryDirectory() : { path: data, remove: () => undefined };
  const claimed = claimDataDirectory(directory.path);
  const engine = await openTestEngine(directory.path, environment.HOSTLEDGER_CLOCK_OFFSET);
  const offsetMs = parseClockOffset(environment.HOSTLEDGER_CLOCK_OFFSET ?? "0s");
  const providers = await openProviders(directory.path, clock ?? systemClock(offsetMs), environment);
  const configuration = readConfiguration({
    HOSTLEDGER_PORT: "0",
    HOSTLEDGER_ADMIN_PORT: "0",
    HOSTLEDGER_DATA: directory.path,
    // Tests send more than a customer may; the limit has its own.
    HOSTLEDGER_RATE_LIMIT: "1000000",
    HOSTLEDGER_PAYMENTS: "sandbox",
    HOSTLEDGER_PAYMENT_ORIGINS: "https://hosting.example",
    ...(testsRunOnPostgres() && { HOSTLEDGER_DATABASE: await newDatabase() }),
    ...engine.environment,
    ...providers.environment,
    ...environment,
  });
  let lastWritten: Position | undefined;
  const written = (position: Position): void => {
    // A repeated append is answered with the position of the first.
    if (lastWritten === undefined || position > lastWritten) lastWritten = position;
  };
  const standalone = await startParts(partNames, {
    configuration,
    logger,
    decorate: {
      ...(clock === undefined ? {} : { clock: () => clock }),
      ...decorate,
      dns: (opened) => {
        // Simulated providers wait by the same clock.
        const isSeen = clock === undefined || configuration.dns === "sandbox";
        const seen = isSeen ? opened : whileBusy(clock, opened);
        return decorate.dns?.(seen) ?? seen;
      },
      store(opened) {
        const store = recording(engine.decorate.store?.(opened) ?? opened, written);
        const announced = clock === undefined ? store : announcing(clock, store);
        return decorate.store?.(announced) ?? announced;
      },
    },
    onFatal(error) {
      throw error;
    },
  });
  const credential = readFileSync(join(directory.path, "admin.token"), "utf8").trim();
  return {
    ...standalone,
    data: directory.path,
    lastWritten: () => lastWritten,
    staff: providers.staff(createStaffClient({ baseUrl: standalone.adminUrl, credential })),
    async close() {
      await standalone.close();
      await providers.close();
      await engine.close();
      claimed.release();
      directory.remove();
    },
  };
}

/** Records the positions of the store's appends. */
function recording(store: EventStore, written: (position: Position) => void): EventStore {
  return withAppend(store, async (stream, expected, events) => {
    const result = await store.append(stream, expected, events);
    // Leaves out events of the document archive, which come later in the background.
    if (!stream.startsWith("document-")) written(result.position);
    return result;
  });
}

/** Marks writes as busy for the clock, which cannot see the writer's thread. */
function announcing(clock: VirtualClock, store: EventStore): EventStore {
  return {
    ...defined({ lineage: store.lineage, shared: store.shared }),
    append: (...appended) => clock.busyWhile(store.append(...appended)),
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}
