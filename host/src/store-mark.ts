import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ownEvents, type EventStore } from "@hostledger/event-store";
import { supervise, type Clock } from "@hostledger/runtime";

import type { HostContext } from "./host-context.ts";

/** How often a store without facts is looked at for its first one, in milliseconds. */
const emptyIntervalMs = 5_000;

/** How often files are looked for that were made since, in milliseconds. */
const namedIntervalMs = 3_600_000;

/** How long another process may hold a file, in milliseconds. */
const lockWaitMs = 5_000;

/** A file of the data directory that belongs to one store, and what an operator can do about one of another store. */
interface SideFile {
  readonly path: string;
  readonly what: string;
  readonly advice: string;
}

/**
 * Compares the files beside the store with it: each keeps the id of the first fact of the store that it was used with, which a
 * restore and an export take along. A file that says nothing yet is named, in the background where the store has no fact
 * yet either. (The audit log compares itself with the store, fact by fact.)
 * @throws Error with a sentence for the operator: a file is another store's
 */
export async function compareStoreMarks(
  { configuration, logger, shutdown }: Pick<HostContext, "configuration" | "logger" | "shutdown">,
  store: EventStore,
  clock: Pick<Clock, "sleep">,
): Promise<void> {
  const { data, database } = configuration;
  const files: SideFile[] = [
    {
      path: join(data, "sandbox.sqlite"),
      what: "what the simulated parties hold",
      advice: "bring back the one that belongs to this store, or move it aside",
    },
  ];
  if (database === "sqlite")
    files.push({
      path: join(data, "subject-keys.sqlite"),
      what: "the keys of personal data",
      advice: "bring back the one that belongs to this store",
    });
  const first = await firstFact(store);
  for (const file of files) compare(file, first);
  const naming = supervise(
    "store marks",
    async (signal) => {
      while (!signal.aborted) {
        const known = await firstFact(store);
        for (const { path } of files) if (known !== undefined) mark(path, known);
        await clock.sleep(known === undefined ? emptyIntervalMs : namedIntervalMs, signal);
      }
    },
    { logger },
  );
  shutdown.add("store marks", () => naming.stop());
}

/** The id of the first fact that is ours. */
async function firstFact(store: EventStore): Promise<string | undefined> {
  for await (const [event] of ownEvents(store)) if (event !== undefined) return event.id;
  return undefined;
}

/** @throws Error */
function compare({ path, what, advice }: SideFile, first: string | undefined): void {
  if (!existsSync(path)) return;
  const marked = withFile(path, (file) => {
    const hasTable =
      file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store_mark'").get() !== undefined;
    return hasTable ? file.prepare("SELECT first_fact FROM store_mark").get()?.first_fact : undefined;
  });
  if (marked === undefined || marked === first) return;
  const present = first === undefined ? "the present one is empty" : `the present one begins with ${first}`;
  throw new Error(
    `${path} (${what}) belongs to another event store, which begins with the fact ${String(marked)}; ${present}: ${advice}.`,
  );
}

/** Names the store in a file that names none yet. */
function mark(path: string, first: string): void {
  if (!existsSync(path)) return;
  withFile(path, (file) => {
    file.exec(
      "CREATE TABLE IF NOT EXISTS store_mark (id INTEGER PRIMARY KEY CHECK (id = 1), first_fact TEXT) STRICT",
    );
    file.prepare("INSERT INTO store_mark VALUES (1, ?) ON CONFLICT DO NOTHING").run(first);
  });
}

function withFile<Result>(path: string, work: (file: DatabaseSync) => Result): Result {
  const file = new DatabaseSync(path, { timeout: lockWaitMs });
  try {
    return work(file);
  } finally {
    file.close();
  }
}
