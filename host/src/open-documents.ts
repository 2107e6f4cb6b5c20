import { join } from "node:path";

import { type DocumentArchive, openFileDocuments, openPostgresDocuments } from "@hostledger/store/documents";
import { retry } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { dataFiles } from "./data-files.ts";
import { startBackoff } from "./time-limits.ts";

/** Whether the archive of documents could be used the last time. */
export type ArchiveState = "available" | "unavailable";

/** Watches whether an archive can be read and written. */
export function watchArchive(archive: DocumentArchive): {
  readonly archive: DocumentArchive;
  readonly state: () => ArchiveState;
} {
  let state: ArchiveState = "available";
  async function seen<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      state = "available";
      return result;
    } catch (error) {
      state = "unavailable";
      throw error;
    }
  }
  return {
    archive: {
      put: (name, sealed) => seen(archive.put(name, sealed)),
      get: (name) => seen(archive.get(name)),
      remove: (name, sealed) => seen(archive.remove(name, sealed)),
      close: () => archive.close(),
    },
    state: () => state,
  };
}

/** Opens the archive of documents: in PostgreSQL where it is configured, so that replicas share it, else in the data directory. */
export function openDocuments({
  data,
  database,
  startTimeoutMs,
}: Pick<Configuration, "data" | "database" | "startTimeoutMs">): Promise<DocumentArchive> {
  if (database === "sqlite") return openFileDocuments(join(data, dataFiles.documents));
  return retry(() => openPostgresDocuments({ url: database }), { backoff: startBackoff(startTimeoutMs) });
}
