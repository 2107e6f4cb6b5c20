import { join } from "node:path";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import type { EventStoreDbOptions } from "@hostledger/esdb";
import { defined, type Clock } from "@hostledger/runtime";

import { dataFiles } from "./data-files.ts";
import type { HostContext } from "./host-context.ts";
import { createStoreMetrics, meterWriteAheadLog } from "./metrics/store.metrics.ts";

/** Appends that a server is sent before it has answered the first. */
const appendsInFlight = 256;

/**
 * Opens the system of record that the configuration names.
 * @param settings as in `EventStoreDbOptions`.
 * @throws Error with a sentence for the operator.
 */
export async function openEventStore(
  { configuration, logger, metrics, onFatal }: HostContext,
  clock: Clock,
  {
    gatherMs = 0,
    continuity,
  }: Pick<EventStoreDbOptions, "continuity"> & { readonly gatherMs?: number | undefined } = {},
): Promise<EventStore> {
  const measuring = createStoreMetrics(metrics);
  const { eventStore, data, queueLimit, startTimeoutMs } = configuration;
  if (eventStore !== "embedded") {
    // EventStoreDB's client is a tenth of all modules, and the embedded store has no use for it.
    const { openEventStoreDb } = await import("@hostledger/esdb");
    const limits = { waiting: queueLimit, inFlight: Math.min(appendsInFlight, queueLimit) };
    return measuring.measured(
      await openEventStoreDb({
        connectionString: eventStore,
        logger,
        startTimeoutMs,
        limits,
        // The services of a process follow much the same.
        sharesTail: true,
        gatherMs,
        ...defined({ continuity }),
      }),
    );
  }
  const embedded = await openEmbeddedEventStore({
    path: join(data, dataFiles.events),
    now: () => clock.now(),
    queueLimit,
    onFailure: onFatal,
    onCommitted: measuring.onCommitted,
    shared: canBeWrittenByOthers(configuration),
  });
  meterWriteAheadLog(metrics, configuration);
  return measuring.measured(embedded);
}

/** True when EventStoreDB's clients may append to the embedded store besides this process. */
function canBeWrittenByOthers({
  esdbPort,
  esdbWriters,
  esdbCredential,
}: HostContext["configuration"]): boolean {
  return esdbPort !== undefined && (esdbWriters === "anyone" || esdbCredential !== undefined);
}
