import type { ReadModelDatabase } from "@hostledger/projections";
import { createLru, type Logger } from "@hostledger/runtime";

interface KeyUseRow {
  /** PostgreSQL's driver answers integers of this size as texts. */
  readonly key_id: number | string;
  readonly last_used_on: string;
}

/** The days on which keys were last used, beside the read models: no fact says it, and no rebuild touches it (ADR 0030). */
export type KeyUseSchema = Readonly<Record<"key_uses", KeyUseRow>>;

/** When keys were last used, to the day. */
export interface KeyUses {
  /** Notes that a key is used now. It writes once for each key and day, waits for nothing and never fails. */
  note(keyId: number, at: string): void;
  /** The last day (`2026-03-01`, UTC) of each of these keys of which one is known. */
  of(keyIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Waits until what was noted is written. */
  close(): Promise<void>;
}

/** Keys of which this process knows that today is written. */
const keysInMemory = 10_000;

/** Keys that are asked for in one statement. */
const keysAtOnce = 500;

/** Keeps the days in a table of the service's read-model database. What cannot be written is forgotten, and logged. */
export function createKeyUses(
  database: ReadModelDatabase<KeyUseSchema>,
  logger: Pick<Logger, "debug">,
): KeyUses {
  const { queries, storage } = database;
  const compiler = storage.compiler.$extendTables<KeyUseSchema>();
  const noted = createLru<number, string>(keysInMemory);
  let hasTable: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function makeTable(): Promise<void> {
    const table = compiler.schema
      .createTable("key_uses")
      .ifNotExists()
      .addColumn("key_id", "bigint", (column) => column.primaryKey())
      .addColumn("last_used_on", "text", (column) => column.notNull());
    // Another process may be making it at the same moment: whether it is there, the next statement says.
    await storage.connection.rows(table.compile()).catch(() => undefined);
  }

  async function write(keyId: number, day: string): Promise<void> {
    hasTable ??= makeTable();
    await hasTable;
    const upsert = compiler
      .insertInto("key_uses")
      .values({ key_id: keyId, last_used_on: day })
      .onConflict((conflict) => conflict.column("key_id").doUpdateSet({ last_used_on: day }));
    // Not `run`, which is for the one process that keeps the read models: every one notes what it sees.
    await storage.connection.rows(upsert.compile());
  }

  async function attempt(keyId: number, day: string): Promise<void> {
    try {
      await storage.exclusively(() => write(keyId, day));
    } catch (error) {
      hasTable = undefined;
      logger.debug({ err: error, keyId }, "the day on which an API key was used could not be noted");
    }
  }

  async function stored(keyIds: readonly number[]): Promise<readonly (readonly [number, string])[]> {
    try {
      const rows = await queries.selectFrom("key_uses").selectAll().where("key_id", "in", keyIds).execute();
      return rows.map((row) => [Number(row.key_id), row.last_used_on] as const);
    } catch {
      // Nothing was written yet, or it cannot be read: then it is not known.
      return [];
    }
  }

  return {
    note(keyId, at) {
      const day = at.slice(0, "2026-03-01".length);
      if (noted.get(keyId) === day) return;
      noted.set(keyId, day);
      writing = writing.then(() => attempt(keyId, day));
    },
    async of(keyIds) {
      const days = new Map<number, string>();
      for (let from = 0; from < keyIds.length; from += keysAtOnce)
        for (const [keyId, day] of await stored(keyIds.slice(from, from + keysAtOnce))) days.set(keyId, day);
      for (const keyId of keyIds) {
        const day = noted.get(keyId);
        if (day !== undefined) days.set(keyId, day);
      }
      return days;
    },
    close: () => writing,
  };
}
