import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";

import type { EventStore } from "../event-store.port.ts";
import { openEmbeddedEventStore, type EmbeddedEventStoreOptions } from "./embedded-event-store.adapter.ts";

/** Opens an embedded store for tests, with a standing clock. A failure is thrown unless the test expects one. */
export function openTestStore(
  path: string,
  options: Partial<EmbeddedEventStoreOptions> = {},
): Promise<EventStore> {
  return openEmbeddedEventStore({
    path,
    now: () => "2026-01-02T03:04:05.000006Z",
    onFailure: (error) => {
      throw error;
    },
    ...options,
  });
}

/** Returns a path for a store that is removed after the test. */
export function temporaryStorePath(): string {
  return join(directoryOfTest(), "events.sqlite");
}
