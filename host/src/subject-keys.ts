import { rmSync } from "node:fs";
import { join } from "node:path";

import type { EventStore } from "@hostledger/event-store";
import {
  cacheSubjectKeys,
  followErasures,
  openPostgresSubjectKeys,
  openSqliteSubjectKeys,
  type SubjectKeys,
} from "@hostledger/personal-data";
import { retry, supervise } from "@hostledger/runtime";

import type { HostContext } from "./host-context.ts";
import { startBackoff } from "./time-limits.ts";

/**
 * Opens the keys of personal data: in PostgreSQL where it is configured, so that all processes share them, else in a file of
 * the data directory.
 * @throws Error with a sentence for the operator when the file is damaged.
 */
export async function openSubjectKeys({ configuration, shutdown }: HostContext): Promise<SubjectKeys> {
  const { database, data, startTimeoutMs } = configuration;
  const engine =
    database === "sqlite"
      ? openSqliteSubjectKeys({ path: join(data, "subject-keys.sqlite") })
      : await retry(() => openPostgresSubjectKeys({ url: database }), {
          backoff: startBackoff(startTimeoutMs),
        });
  const keys = cacheSubjectKeys(engine);
  shutdown.add("subject keys", () => keys.close());
  // Before texts were sealed, snapshots were kept under this name, and hold names as they are.
  const plain = join(data, "snapshots", "account.sqlite");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${plain}${suffix}`, { force: true });
  return keys;
}

/** Destroys, in the background, what erasures in the log have left: their process died, or keys came back from a backup. */
export function finishErasures(
  { logger, shutdown }: HostContext,
  store: EventStore,
  keys: SubjectKeys,
): void {
  const following = supervise(
    "erasures",
    (signal) =>
      followErasures({
        store,
        keys,
        signal,
        onDestroyed: (subject) => {
          logger.info({ subject }, "the key of an erased account was destroyed");
        },
      }),
    { logger },
  );
  shutdown.add("erasures", () => following.stop());
}
