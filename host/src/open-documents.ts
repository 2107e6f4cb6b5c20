import { join } from "node:path";

import { type DocumentArchive, openFileDocuments, openPostgresDocuments } from "@hostledger/store/documents";
import { retry } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { dataFiles } from "./data-files.ts";
import { startBackoff } from "./time-limits.ts";

/** Opens the archive of documents: in PostgreSQL where it is configured, so that replicas share it, else in the data directory. */
export function openDocuments({
  data,
  database,
  startTimeoutMs,
}: Pick<Configuration, "data" | "database" | "startTimeoutMs">): Promise<DocumentArchive> {
  if (database === "sqlite") return openFileDocuments(join(data, dataFiles.documents));
  return retry(() => openPostgresDocuments({ url: database }), { backoff: startBackoff(startTimeoutMs) });
}
