import { rmSync } from "node:fs";
import { join } from "node:path";

import { createCommandHandler, type EventStore } from "@hostledger/event-store";
import { runUnderLease, type Leases } from "@hostledger/leases";
import {
  cacheSubjectKeys,
  createKeyLosses,
  followErasures,
  openPostgresSubjectKeys,
  openSqliteSubjectKeys,
  type KeyLosses,
  type SubjectKeys,
  type TextKeys,
} from "@hostledger/personal-data";
import { retry, supervise, type Clock } from "@hostledger/runtime";

import { dataFiles } from "./data-files.ts";
import { tellKeyLosses } from "./key-losses.ts";
import type { HostContext } from "./host-context.ts";
import { startBackoff } from "./time-limits.ts";

/** The keys of a process, and those that it found missing. */
export type WatchedKeys = SubjectKeys & TextKeys & { readonly losses: KeyLosses };

/**
 * Opens the keys of personal data: in PostgreSQL where it is configured, so that all processes share them, else in a file of
 * the data directory.
 * @throws Error with a sentence for the operator when the file is damaged.
 */
export async function openSubjectKeys({ configuration, shutdown }: HostContext): Promise<WatchedKeys> {
  const { database, data, startTimeoutMs } = configuration;
  const engine =
    database === "sqlite"
      ? openSqliteSubjectKeys({ path: join(data, dataFiles.subjectKeys) })
      : await retry(() => openPostgresSubjectKeys({ url: database }), {
          backoff: startBackoff(startTimeoutMs),
        });
  const keys = cacheSubjectKeys(engine);
  shutdown.add("subject keys", () => keys.close());
  // Before texts were sealed, snapshots were kept under this name, and hold names as they are.
  const plain = join(data, "snapshots", "account.sqlite");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${plain}${suffix}`, { force: true });
  const losses = createKeyLosses();
  return { ...keys, onLoss: losses.onLoss, losses };
}

/**
 * Destroys, in the background, what erasures in the log have left: their process died, or keys came back from a backup. Of
 * processes that share the keys, one does it.
 */
export function finishErasures(
  { logger, shutdown }: Pick<HostContext, "logger" | "shutdown">,
  store: EventStore,
  { keys, leases }: { readonly keys: SubjectKeys; readonly leases: Leases },
): void {
  const onDestroyed = (subject: string): void => {
    logger.info({ subject }, "the key of an erased account was destroyed");
  };
  const following = supervise(
    "erasures",
    (ending) =>
      runUnderLease(
        leases,
        "erasures",
        (signal) => followErasures({ store, keys, signal, onDestroyed }),
        ending,
      ),
    { logger },
  );
  shutdown.add("erasures", () => following.stop());
}

/** Tells staff, in the background, of keys that are missing. */
export function watchKeyLosses(
  { logger, shutdown }: HostContext,
  store: EventStore,
  { clock, keys }: { readonly clock: Clock; readonly keys: WatchedKeys },
): void {
  const commands = createCommandHandler({ store, recordedBy: "personal-data" });
  const telling = supervise(
    "missing keys",
    (signal) => tellKeyLosses({ commands, clock, keys, losses: keys.losses, logger, signal }),
    { logger },
  );
  shutdown.add("missing keys", () => telling.stop());
}
