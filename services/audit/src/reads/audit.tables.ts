import { table, type Schema } from "@hostledger/projections";

/** Every account with what it has now. */
export const accountTables = {
  audited_accounts: table({
    columns: {
      id: "integer",
      /** Sealed where the log has it sealed: it is opened when it is read. */
      name: "text",
      balance_cents: "integer",
      opened_at: "text",
      last_movement_at: "text?",
    },
    primaryKey: ["id"],
    indexes: [],
  }),
};

/** Where each document's fact is. */
export const documentTables = {
  audited_documents: table({
    columns: { id: "integer", number: "text", account_id: "integer", revision: "integer" },
    primaryKey: ["id"],
    indexes: [{ columns: ["number"] }],
  }),
};

/** What accounts are found by. */
export const referenceTables = {
  /** Who customers say to be. Sealed where the log has it sealed: it is opened when it is read. */
  audited_profiles: table({
    columns: { id: "integer", name: "text", organisation: "text", email: "text" },
    primaryKey: ["id"],
    indexes: [],
  }),
  /** Accounts that the facts of a stream name, for example of `domain-example.com`. */
  audited_owners: table({
    columns: { stream: "text", account_id: "integer" },
    primaryKey: ["stream", "account_id"],
    indexes: [],
  }),
  /** Where a request (`request`) or a server's address (`address`) is named. */
  audited_references: table({
    columns: { kind: "text", value: "text", stream: "text" },
    primaryKey: ["kind", "value", "stream"],
    indexes: [],
  }),
};

/** Every auditor's credential. */
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

/** The audit service's read models as queries see them. */
export type AuditSchema = Schema<
  typeof accountTables & typeof documentTables & typeof referenceTables & typeof credentialTables
>;
