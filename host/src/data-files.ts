import { join } from "node:path";

import type { Configuration } from "./configuration/index.ts";

/** Databases and directories in a data directory that more than one part of the host knows by name. */
export const dataFiles = {
  /** The embedded event store: the events. */
  events: "events.sqlite",
  /** Keys of personal data, unless they are in PostgreSQL. */
  subjectKeys: "subject-keys.sqlite",
  /** Directory of the archive of documents, where it is not in PostgreSQL. */
  documents: "documents",
  /** The last events that a process has seen, by which it notices an older backup of the store. */
  seenEvents: "seen-events.json",
  /** Data of the simulated providers. */
  sandbox: "sandbox.sqlite",
} as const;

/** Returns the file of the simulated providers: in the data directory, unless instances share it. */
export function sandboxFile({
  data,
  sandboxData = data,
}: Pick<Configuration, "data" | "sandboxData">): string {
  return join(sandboxData, dataFiles.sandbox);
}
