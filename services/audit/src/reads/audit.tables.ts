import { table, type Schema } from "@hostledger/read";

/** Every account with its present state. */
export const accountTables = {
  audited_accounts: table({
    columns: {
      id: "integer",
      /** Sealed if the log has it sealed; decrypted when it is read. */
      name: "text",
      balance_cents: "integer",
      opened_at: "text",
      last_movement_at: "text?",
    },
    primaryKey: ["id"],
    indexes: [],
  }),
};

/** The place of each document's event. */
export const documentTables = {
  audited_documents: table({
    columns: { id: "integer", number: "text", account_id: "integer", revision: "integer" },
    primaryKey: ["id"],
    indexes: [{ columns: ["number"] }],
  }),
};

/** Search terms of accounts. */
export const referenceTables = {
  /** Profiles of customers. Sealed if the log has them sealed; decrypted when they are read. */
  audited_profiles: table({
    columns: { id: "integer", name: "text", organisation: "text", email: "text" },
    primaryKey: ["id"],
    indexes: [],
  }),
  /** Accounts that the events of a stream name, for example of `domain-example.com`. */
  audited_owners: table({
    columns: { stream: "text", account_id: "integer" },
    primaryKey: ["stream", "account_id"],
    indexes: [],
  }),
  /** Streams that name a request (`request`) or a server's address (`address`). */
  audited_references: table({
    columns: { kind: "text", value: "text", stream: "text" },
    primaryKey: ["kind", "value", "stream"],
    indexes: [],
  }),
};

export const credentialTables = {
  auditor_credentials: table({
    columns: {
      id: "integer",
      name: "text",
      prefix: "text",
      issued_at: "text",
      expires_at: "text",
      revoked_at: "text?",
      last_used_at: "text?",
      uses: "integer",
    },
    primaryKey: ["id"],
    indexes: [],
  }),
};

/** The audit service's read models for queries. */
export type AuditSchema = Schema<
  typeof accountTables & typeof documentTables & typeof referenceTables & typeof credentialTables
>;
