import { rmSync } from "node:fs";
import { join } from "node:path";

import {
  type CommandHandler,
  createCommandHandler,
  type EventStore,
  requestStaffTicket,
} from "@hostledger/store";
import { type Leases, runUnderLease } from "@hostledger/work/leases";
import {
  cacheSubjectKeys,
  createKeyLosses,
  followErasures,
  type KeyLoss,
  type KeyLosses,
  nameOfLoss,
  openPostgresSubjectKeys,
  openSqliteSubjectKeys,
  type SubjectKeys,
  type TextKeys,
} from "@hostledger/store/personal-data";
import { type Clock, type Logger, retry, supervise } from "@hostledger/runtime";
import { assertNever, staffTickets } from "@hostledger/core";

import { dataFiles } from "./data-files.ts";
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
  // Old snapshots under this name contain names in clear text.
  const plain = join(data, "snapshots", "account.sqlite");
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${plain}${suffix}`, { force: true });
  const losses = createKeyLosses();
  return { ...keys, onLoss: losses.onLoss, losses };
}

/**
 * Destroys, in the background, the keys that erasures in the log left, because their process died or a backup
 * restored keys. Of processes with shared keys, one does this.
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

/** Opens staff tickets, in the background, about missing keys. */
export function watchKeyLosses(
  { logger, shutdown }: HostContext,
  store: EventStore,
  { clock, keys }: { readonly clock: Clock; readonly keys: WatchedKeys },
): void {
  const commands = createCommandHandler({ store, recordedBy: "personal-data" });
  const reporting = supervise(
    "missing keys",
    (signal) => reportKeyLosses({ commands, clock, keys, losses: keys.losses, logger, signal }),
    { logger },
  );
  shutdown.add("missing keys", () => reporting.stop());
}

/** Interval between checks for losses, in milliseconds. */
const intervalMs = 1_000;

/** With more losses at once, one ticket is for all of them: then it is the file that is missing, and not a key. */
const ticketsAtOnce = 10;

interface LossReporting {
  readonly commands: Pick<CommandHandler, "execute">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly keys: Pick<SubjectKeys, "find">;
  readonly losses: Pick<KeyLosses, "list" | "recheck">;
  readonly logger: Pick<Logger, "error" | "info">;
  readonly signal: AbortSignal;
}

/** Opens a ticket for staff and logs a line for each key that is missing, once; ends with the signal. */
export async function reportKeyLosses({ losses, keys, logger, ...reporting }: LossReporting): Promise<void> {
  const { clock, signal } = reporting;
  const reported = new Set<string>();
  while (!signal.aborted) {
    await losses.recheck(keys);
    const missing = losses.list();
    const names = new Set(missing.map(nameOfLoss));
    for (const name of [...reported].filter((each) => !names.has(each))) {
      reported.delete(name);
      logger.info({ key: name }, "a missing key of personal data is there again, or declared lost");
    }
    const found = missing.filter((loss) => !reported.has(nameOfLoss(loss)));
    for (const loss of found)
      logger.error({ ...loss }, "a key of personal data is missing: its texts do not open");
    await openTickets(found, reporting);
    for (const loss of found) reported.add(nameOfLoss(loss));
    await clock.sleep(intervalMs, signal);
  }
}

async function openTickets(
  found: readonly KeyLoss[],
  options: Pick<LossReporting, "commands" | "clock">,
): Promise<void> {
  const [first] = found;
  if (first === undefined) return;
  const tickets =
    found.length <= ticketsAtOnce
      ? found.map((loss) => ticketOf([loss], `key-${nameOfLoss(loss)}`))
      : [ticketOf(found, `keys-${nameOfLoss(first)}`)];
  for (const ticket of tickets) await requestStaffTicket(options, ticket, "personal-data");
}

function ticketOf(losses: readonly KeyLoss[], cause: string) {
  return staffTickets.keysMissing(losses.slice(0, ticketsAtOnce).map(describe), losses.length, cause);
}

function describe({ subject, keyId, reason }: KeyLoss): string {
  const key = keyId === undefined ? "" : ` (key ${keyId})`;
  switch (reason) {
    case "missing":
      return `${subject}${key}`;
    case "another":
      return `${subject}${key}, where another key lies`;
    case "damaged":
      return `${subject}${key}, where a text is damaged`;
    default:
      return assertNever(reason);
  }
}
