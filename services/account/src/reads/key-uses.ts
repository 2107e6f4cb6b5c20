import type { ReadModelDatabase } from "@hostledger/read";
import { createLru, type Logger } from "@hostledger/runtime";

interface KeyUseRow {
  /** PostgreSQL's driver returns integers of this size as text. */
  readonly key_id: number | string;
  readonly last_used_on: string;
}

/** Days of keys' last use, stored beside the read models: no event contains them (ADR 0030). */
export type KeyUseSchema = Readonly<Record<"key_uses", KeyUseRow>>;

/** Last use of API keys by day. */
export interface KeyUses {
  /** Records that a key is used. Writes once per key and day, in the background, and never fails. */
  note(keyId: number, at: string): void;
  /** Returns the last day (`2026-03-01`, UTC) of each key with a known use. */
  of(keyIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Waits until all recorded uses are written. */
  close(): Promise<void>;
}

/** Maximum keys in the cache of today's writes. */
const keysInMemory = 10_000;

/** Maximum keys per statement. */
const keysAtOnce = 500;

/** Stores the days in a table of the read-model database. Failed writes are logged and dropped. */
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
    // Another process may create the table at the same time; the next statement shows whether it exists.
    await storage.connection.rows(table.compile()).catch(() => undefined);
  }

  async function write(keyId: number, day: string): Promise<void> {
    hasTable ??= makeTable();
    await hasTable;
    const upsert = compiler
      .insertInto("key_uses")
      .values({ key_id: keyId, last_used_on: day })
      .onConflict((conflict) => conflict.column("key_id").doUpdateSet({ last_used_on: day }));
    // Not `run`, which is reserved to the process that updates the read models; every process records uses.
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
      // An unreadable or missing table means no known use.
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
