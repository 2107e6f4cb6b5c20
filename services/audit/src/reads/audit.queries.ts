import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";

import type { AuditSchema } from "./audit.tables.ts";

/** An account as it is listed. */
export type AuditedAccountRow = Omit<AuditSchema["audited_accounts"], "log_position">;

/** Where a document's fact is. */
export type AuditedDocumentRow = Omit<AuditSchema["audited_documents"], "log_position">;

/** A credential as it is listed. */
export type AuditorCredentialRow = Omit<AuditSchema["auditor_credentials"], "log_position">;

/** Part of a list: at most `limit` rows with an id above `afterId`. */
export interface PageOf {
  readonly afterId: number;
  readonly limit: number;
}

/** What the audit service reads. */
export interface AuditQueries {
  /** By id. Names as they are stored. */
  accounts(page: PageOf): Promise<readonly AuditedAccountRow[]>;
  documentById(id: number): Promise<AuditedDocumentRow | undefined>;
  documentByNumber(number: string): Promise<AuditedDocumentRow | undefined>;
  /** By id. */
  credentials(page: PageOf): Promise<readonly AuditorCredentialRow[]>;
}

/** Prepares the queries, once. */
export function auditQueries(database: ReadModelDatabase<AuditSchema>): AuditQueries {
  const accounts = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("audited_accounts")
      .selectAll()
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  const documentById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
    db.selectFrom("audited_documents").selectAll().where("id", "=", parameter("id")),
  );
  const documentByNumber = database.prepared((db, parameter: ParameterOf<{ number: string }>) =>
    db
      .selectFrom("audited_documents")
      .selectAll()
      .where("number", "=", parameter("number"))
      .orderBy("id")
      .limit(1),
  );
  const credentials = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("auditor_credentials")
      .selectAll()
      .where("id", ">", parameter("afterId"))
      .orderBy("id")
      .limit(parameter("limit")),
  );
  return {
    accounts: (page) => accounts.all({ ...page }),
    documentById: (id) => documentById.first({ id }),
    documentByNumber: (number) => documentByNumber.first({ number }),
    credentials: (page) => credentials.all({ ...page }),
  };
}
