import type { ReadModelDatabase } from "@hostledger/read";

import type { NoticePlace } from "../reads/notice.queries.ts";

/** Progress of reading notices, and for which receivers they were read. */
export interface LookedThrough extends NoticePlace {
  /** Version of the read model that contains the notices. */
  readonly version: number;
  /** True if they were also read for mail. */
  readonly isForMail: boolean;
}

/** Kept where a start finds it, beside the deliveries that were made of the notices. */
export interface NoticeProgress {
  /** Undefined before the first was kept. */
  load(): Promise<LookedThrough | undefined>;
  save(reached: LookedThrough): Promise<void>;
}

/** The table beside the read models, of one row (ADR 0096). */
export type NoticeProgressSchema = Readonly<Record<"notice_progress", NoticeProgressRow>>;

interface NoticeProgressRow extends NoticePlace {
  readonly id: number;
  readonly version: number;
  /** 0 or 1. */
  readonly for_mail: number;
}

/** The only row. */
const id = 1;

/** Opens the table, and makes it where it is not there yet. */
export async function openNoticeProgress(
  database: Pick<ReadModelDatabase<NoticeProgressSchema>, "queries" | "storage">,
): Promise<NoticeProgress> {
  const { queries, storage } = database;
  await createProgressTable(storage);
  const compiler = storage.compiler.$extendTables<NoticeProgressSchema>();
  return {
    async load() {
      const row = await queries
        .selectFrom("notice_progress")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { position, notice_id, noticed_at, version, for_mail: forMail } = row;
      return { position, notice_id, noticed_at, version, isForMail: forMail === 1 };
    },
    async save({ position, notice_id, noticed_at, version, isForMail }) {
      const reached = { position, notice_id, noticed_at, version, for_mail: isForMail ? 1 : 0 };
      const statement = compiler
        .insertInto("notice_progress")
        .values({ id, ...reached })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(reached));
      // Not `run`, which is for the one process that keeps the read models.
      await storage.exclusively(() => storage.connection.rows(statement.compile()));
    },
  };
}

async function createProgressTable(
  storage: ReadModelDatabase<NoticeProgressSchema>["storage"],
): Promise<void> {
  const statement = storage.compiler.schema
    .createTable("notice_progress")
    .ifNotExists()
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("position", "bigint", (column) => column.notNull())
    .addColumn("notice_id", "text", (column) => column.notNull())
    .addColumn("noticed_at", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("for_mail", "integer", (column) => column.notNull());
  // If another process creates the table at the same moment, the second is refused and finds it.
  await storage.exclusively(() => storage.connection.rows(statement.compile()).catch(() => undefined));
}
