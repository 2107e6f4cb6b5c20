import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ownEvents, type EventStore } from "@hostledger/event-store";
import { errorCodeOf, writeFileAtomically } from "@hostledger/runtime";

/** Beside the log's directory, since it says that there was a log where that directory is lost. */
const markFile = "audit-log.begun";

const markMode = 0o600;

/** Name of the log that was begun in a data directory; undefined where none was. */
export function begunOrigin(dataDirectory: string): string | undefined {
  try {
    const name = readFileSync(join(dataDirectory, markFile), "utf8").trim();
    return name === "" ? undefined : name;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Keeps in mind that a log was begun in a data directory. */
export function markBegun(dataDirectory: string, origin: string): void {
  if (begunOrigin(dataDirectory) !== origin)
    writeFileAtomically(join(dataDirectory, markFile), `${origin}\n`, markMode);
}

/** Whether a log of the store would have anything to record. */
export async function hasEvents(store: EventStore): Promise<boolean> {
  for await (const [event] of ownEvents(store)) if (event !== undefined) return true;
  return false;
}
