import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";

import { archiveKind, type AccountSchema } from "./account.tables.ts";

type DocumentEventRow = Pick<AccountSchema["document_events"], "account_id" | "revision">;

/** Questions about documents and their files. */
export interface ArchiveQueries {
  /** Returns the place of the event that issued a document. */
  documentEvent(documentId: number): Promise<DocumentEventRow | undefined>;
  /** Returns ids of archived documents, ascending. */
  archivedAfter(documentId: number, limit: number): Promise<readonly number[]>;
  /** Returns the number of documents whose files wait for the archive. */
  documentsWaiting(): Promise<number>;
  /** Returns ids of an account's documents whose files wait for the archive. */
  waitingOf(accountId: number, limit: number): Promise<readonly number[]>;
}

export function archiveQueries(database: ReadModelDatabase<AccountSchema>): ArchiveQueries {
  const documentEvent = database.prepared((db, parameter: ParameterOf<{ documentId: number }>) =>
    db
      .selectFrom("document_events")
      .select(["account_id", "revision"])
      .where("id", "=", parameter("documentId")),
  );
  const archivedAfter = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("document_events")
      .select("id")
      .where("archived", "=", 1)
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  const waiting = database.prepared((db, parameter: ParameterOf<{ kind: string }>) =>
    db
      .selectFrom("work")
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .where("kind", "=", parameter("kind")),
  );
  const waitingOf = database.prepared(
    (db, parameter: ParameterOf<{ kind: string; accountId: number; limit: number }>) =>
      db
        .selectFrom("work")
        .select("key")
        .where("kind", "=", parameter("kind"))
        .where("account_id", "=", parameter("accountId"))
        .limit(parameter("limit")),
  );
  return {
    documentEvent: (documentId) => documentEvent.first({ documentId }),
    archivedAfter: async (afterId, limit) =>
      (await archivedAfter.all({ afterId, limit })).map(({ id }) => id),
    documentsWaiting: async () => Number((await waiting.first({ kind: archiveKind }))?.count ?? 0),
    waitingOf: async (accountId, limit) =>
      (await waitingOf.all({ kind: archiveKind, accountId, limit })).map(({ key }) => Number(key)),
  };
}
