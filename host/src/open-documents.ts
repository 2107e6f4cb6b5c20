import { join } from "node:path";

import { type DocumentArchive, openFileDocuments, openPostgresDocuments } from "@hostledger/store/documents";
import { retry } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { dataFiles } from "./data-files.ts";
import { startBackoff } from "./time-limits.ts";

/** Result of the last access to the archive of documents. */
export type ArchiveState = "available" | "unavailable";

/** A file that no document has: documents have ids from 1. */
const noFile = { documentId: 0, format: "pdf" } as const;

/**
 * Watches whether an archive can be read and written.
 * @param isShared true in PostgreSQL, where another replica may do all later work: a failed archive is then read again whenever
 *   its state is asked for.
 */
export function watchArchive(
  archive: DocumentArchive,
  { isShared }: { readonly isShared: boolean },
): {
  readonly archive: DocumentArchive;
  readonly state: () => ArchiveState;
} {
  let state: ArchiveState = "available";
  let isAsking = false;
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
    state() {
      if (isShared && state === "unavailable" && !isAsking) {
        isAsking = true;
        const answered = (): void => void (isAsking = false);
        void seen(archive.get(noFile)).then(answered, answered);
      }
      return state;
    },
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
