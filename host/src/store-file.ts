import { join } from "node:path";

import { letLogBegin } from "@hostledger/audit-service";
import {
  createFileSink,
  exportStore,
  fileSource,
  importStore,
  openEmbeddedEventStore,
  type EventStore,
  type ImportSummary,
  type TransferSummary,
} from "@hostledger/store";
import { defined, systemClock } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { dataFiles } from "./data-files.ts";

/** Store and file of a transfer, and the receiver of its progress. */
export interface StoreFileOptions {
  /** With the embedded `eventStore`, `data` is a directory that the caller has claimed. */
  readonly configuration: Pick<Configuration, "eventStore" | "data" | "startTimeoutMs">;
  readonly file: string;
  readonly onProgress?: (events: number) => void;
}

/** Writes a store to a file. @throws Error with a sentence for the operator, or with Node's code. */
export async function exportStoreFile(options: StoreFileOptions): Promise<TransferSummary> {
  const { configuration, file, onProgress } = options;
  return withStore(configuration, async (store) =>
    exportStore(store, await createFileSink(file), {
      exportedAt: systemClock().now(),
      engine: configuration.eventStore === "embedded" ? "embedded" : "eventstoredb",
      ...defined({ onProgress }),
    }),
  );
}

/** Fills an empty store from a file. @throws Error with a sentence for the operator, or with Node's code. */
export async function importStoreFile(options: StoreFileOptions): Promise<ImportSummary> {
  const { configuration, file, onProgress } = options;
  const summary = await withStore(configuration, (store) =>
    importStore(store, fileSource(file), defined({ onProgress })),
  );
  if (configuration.eventStore === "embedded") await letLogBegin(configuration.data);
  return summary;
}

/** Uses a store and closes it. @throws Error with a sentence for the operator */
export async function withStore<T>(
  { eventStore, data, startTimeoutMs }: StoreFileOptions["configuration"],
  use: (store: EventStore) => Promise<T>,
): Promise<T> {
  const store = await (eventStore === "embedded"
    ? openEmbeddedEventStore({
        path: join(data, dataFiles.events),
        now: () => systemClock().now(),
        // A failed write also rejects the append, which ends the transfer.
        onFailure: () => undefined,
      })
    : openRemote(eventStore, startTimeoutMs));
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function openRemote(connectionString: string, startTimeoutMs: number): Promise<EventStore> {
  const { openEventStoreDb } = await import("@hostledger/esdb");
  return openEventStoreDb({ connectionString, startTimeoutMs });
}
