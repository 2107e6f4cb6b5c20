import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";

import type { AuditSchema } from "./audit.tables.ts";

export type AuditedAccountRow = Omit<AuditSchema["audited_accounts"], "log_position">;

/** An account with the profile of its customer; null if unknown. */
export type SearchedAccountRow = AuditedAccountRow &
  Readonly<Record<"profile_name" | "organisation" | "email", string | null>>;

/** A stream that names something, and one of its accounts. */
export interface ReferenceRow {
  readonly stream: string;
  readonly account_id: number | null;
}

/** The place of a document's event. */
export type AuditedDocumentRow = Omit<AuditSchema["audited_documents"], "log_position">;

export type AuditorCredentialRow = Omit<AuditSchema["auditor_credentials"], "log_position">;

/** Part of a list: at most `limit` rows with an id above `afterId`. */
export interface PageOf {
  readonly afterId: number;
  readonly limit: number;
}

export interface AuditQueries {
  /** By id. Names are sealed. */
  accounts(page: PageOf): Promise<readonly AuditedAccountRow[]>;
  /** By id, for the search. Texts are sealed. */
  searchedAccounts(page: PageOf): Promise<readonly SearchedAccountRow[]>;
  /** Accounts that the events of a stream name. */
  ownersOf(stream: string, limit: number): Promise<readonly number[]>;
  /** Streams that name a request or an address, with their accounts. */
  references(kind: "request" | "address", value: string, limit: number): Promise<readonly ReferenceRow[]>;
  documentById(id: number): Promise<AuditedDocumentRow | undefined>;
  documentByNumber(number: string): Promise<AuditedDocumentRow | undefined>;
  credentials(page: PageOf): Promise<readonly AuditorCredentialRow[]>;
}

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
    ...searchQueries(database),
    documentById: (id) => documentById.first({ id }),
    documentByNumber: (number) => documentByNumber.first({ number }),
    credentials: (page) => credentials.all({ ...page }),
  };
}

function searchQueries(
  database: ReadModelDatabase<AuditSchema>,
): Pick<AuditQueries, "searchedAccounts" | "ownersOf" | "references"> {
  const accounts = database.prepared((db, parameter: ParameterOf<{ afterId: number; limit: number }>) =>
    db
      .selectFrom("audited_accounts")
      .leftJoin("audited_profiles as profiles", "profiles.id", "audited_accounts.id")
      .selectAll("audited_accounts")
      .select(["profiles.name as profile_name", "profiles.organisation", "profiles.email"])
      .where("audited_accounts.id", ">", parameter("afterId"))
      .orderBy("audited_accounts.id")
      .limit(parameter("limit")),
  );
  const owners = database.prepared((db, parameter: ParameterOf<{ stream: string; limit: number }>) =>
    db
      .selectFrom("audited_owners")
      .select("account_id")
      .where("stream", "=", parameter("stream"))
      .orderBy("account_id")
      .limit(parameter("limit")),
  );
  const references = database.prepared(
    (db, parameter: ParameterOf<{ kind: string; value: string; limit: number }>) =>
      db
        .selectFrom("audited_references")
        .leftJoin("audited_owners", "audited_owners.stream", "audited_references.stream")
        .select(["audited_references.stream", "audited_owners.account_id"])
        .where("kind", "=", parameter("kind"))
        .where("value", "=", parameter("value"))
        .orderBy("audited_references.stream")
        .limit(parameter("limit")),
  );
  return {
    searchedAccounts: (page) => accounts.all({ ...page }),
    ownersOf: async (stream, limit) =>
      (await owners.all({ stream, limit })).map(({ account_id: accountId }) => accountId),
    references: (kind, value, limit) => references.all({ kind, value, limit }),
  };
}
