import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ownEvents, type EventStore, type RecordedEvent } from "@hostledger/store";
import {
  mayHoldSealedText,
  openPersonalData,
  type SubjectKeys,
  type TextKeys,
} from "@hostledger/store/personal-data";
import { supervise, untilFree, type Clock } from "@hostledger/runtime";

import { dataFiles, sandboxFile } from "./data-files.ts";
import type { HostContext } from "./host-context.ts";

/** Interval between checks of an empty store for its first event, in milliseconds. */
const emptyIntervalMs = 5_000;

/** Interval between checks for files that were created since, in milliseconds. */
const namedIntervalMs = 3_600_000;

/** Maximum wait for another process's lock on a file, in milliseconds. */
const lockWaitMs = 5_000;

/** A file or database that belongs to one store, with advice for the operator if the store is another one. */
interface Belonging {
  /** Location, for the operator. */
  readonly place: string;
  readonly what: string;
  readonly advice: string;
  /** Returns the id of the first event of its store; undefined if not recorded yet. */
  firstEvent(): Promise<string | undefined>;
  /** Names the store where none is named yet. */
  markFirstEvent(id: string): Promise<void>;
}

/**
 * Compares the files and databases beside the store with the store: each records the id of the first event of its
 * store, which restores and exports keep. Missing records are written, in the background if the store has no event
 * yet. (The audit log compares itself event by event.)
 * @throws Error with a sentence for the operator if something belongs to another store
 */
export async function compareStoreMarks(
  { configuration, logger, shutdown }: Pick<HostContext, "configuration" | "logger" | "shutdown">,
  store: EventStore,
  {
    clock,
    keys,
  }: {
    readonly clock: Clock;
    readonly keys: Pick<SubjectKeys, "find" | "firstEvent" | "markFirstEvent"> & TextKeys;
  },
): Promise<void> {
  const { data, database, eventStore } = configuration;
  const belongings: readonly Belonging[] = [
    {
      place: sandboxFile(configuration),
      what: "what the simulated parties hold",
      advice: "bring back the one that belongs to this store, or move it aside",
      ...fileMark(sandboxFile(configuration), clock),
    },
    {
      place: database === "sqlite" ? join(data, dataFiles.subjectKeys) : "hostledger_keys in PostgreSQL",
      what: "the keys of personal data",
      advice: "bring back the one that belongs to this store",
      firstEvent: () => keys.firstEvent(),
      markFirstEvent: (id) => keys.markFirstEvent(id),
    },
  ];
  const first = await firstEvent(store);
  const ofStore = eventStore === "embedded" ? join(data, dataFiles.events) : "The event store";
  for (const belonging of belongings) await compare(belonging, first, ofStore);
  if (database !== "sqlite") await refuseStrangeKeys(store, keys);
  // Opening a text reports a lost key, so health shows a lost file of keys from the start.
  const sealed = await firstSealedEvent(store);
  if (sealed !== undefined) await openPersonalData(sealed, keys);
  const naming = supervise(
    "store marks",
    async (signal) => {
      for (let known = first; !signal.aborted; known ??= await firstEvent(store)) {
        if (known !== undefined) for (const belonging of belongings) await belonging.markFirstEvent(known);
        await clock.sleep(known === undefined ? emptyIntervalMs : namedIntervalMs, signal);
      }
    },
    { logger },
  );
  shutdown.add("store marks", () => naming.stop());
}

/**
 * Refuses a database without keys if the store has sealed texts: other processes could not read texts sealed with
 * newly created keys. (Files of keys belong to a data directory, which is copied whole.)
 * @throws Error
 */
async function refuseStrangeKeys(
  store: EventStore,
  keys: Pick<SubjectKeys, "find" | "firstEvent">,
): Promise<void> {
  if ((await keys.firstEvent()) !== undefined) return;
  const sealed = (await firstSealedEvent(store))?.stream;
  if (sealed === undefined || (await keys.find([sealed])).size > 0) return;
  throw new Error(
    "The table hostledger_keys in PostgreSQL is empty, but this event store has sealed texts: name the other processes' database in HOSTLEDGER_DATABASE, or restore the keys from a backup (docs/runbook.md, PersonalDataKeyMissing).",
  );
}

/** Returns the first event of an account with a sealed text; undefined if there is none. */
export async function firstSealedEvent(store: EventStore): Promise<RecordedEvent | undefined> {
  for await (const { events, caughtUp } of store.subscribe({ from: "start", streamPrefixes: ["account-"] })) {
    const sealed = events.find(({ data }) => mayHoldSealedText(data));
    if (sealed !== undefined || caughtUp) return sealed;
  }
  return undefined;
}

/** The id of the first event that is ours. */
async function firstEvent(store: EventStore): Promise<string | undefined> {
  for await (const [event] of ownEvents(store)) if (event !== undefined) return event.id;
  return undefined;
}

/** @throws Error */
async function compare(belonging: Belonging, first: string | undefined, ofStore: string): Promise<void> {
  const marked = await belonging.firstEvent();
  if (marked === undefined || marked === first) return;
  const { place, what, advice } = belonging;
  if (first === undefined)
    throw new Error(
      `${ofStore} is empty, but ${place} (${what}) was used with an event store that begins with the event ${marked}: restore the event store from a backup (docs/backup.md), or begin with an empty data directory.`,
    );
  throw new Error(
    `${place} (${what}) belongs to another event store, which begins with the event ${marked}; the present one begins with ${first}: ${advice}.`,
  );
}

/** Reads and writes the record in a provider's file without touching its tables; a missing file belongs to no store. */
function fileMark(path: string, clock: Clock): Pick<Belonging, "firstEvent" | "markFirstEvent"> {
  return {
    firstEvent: () =>
      withFile(path, clock, (file) => {
        const hasTable =
          file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store_mark'").get() !== undefined;
        const marked = hasTable ? file.prepare("SELECT first_fact FROM store_mark").get() : undefined;
        return marked === undefined ? undefined : String(marked.first_fact);
      }),
    async markFirstEvent(id) {
      await withFile(path, clock, (file) => {
        file.exec(
          "CREATE TABLE IF NOT EXISTS store_mark (id INTEGER PRIMARY KEY CHECK (id = 1), first_fact TEXT) STRICT",
        );
        file.prepare("INSERT INTO store_mark VALUES (1, ?) ON CONFLICT DO NOTHING").run(id);
      });
    },
  };
}

async function withFile<Result>(
  path: string,
  clock: Clock,
  work: (file: DatabaseSync) => Result,
): Promise<Result | undefined> {
  if (!existsSync(path)) return undefined;
  const attempt = (): Result => {
    const file = new DatabaseSync(path, { timeout: 0 });
    try {
      return work(file);
    } finally {
      file.close();
    }
  };
  return untilFree(lockWaitMs, attempt, clock);
}
