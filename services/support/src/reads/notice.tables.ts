import { table, type Schema } from "@hostledger/read";

/** All possible notices, whether wanted or not, and the additional data that notices need. */
export const noticeTables = {
  notices: table({
    columns: {
      /** Position of the event. Primary key because it ascends; a random id would change a page of the tree per notice. */
      position: "integer",
      /** Equal for every repeat of a notice; also the id that receivers get. */
      notice_id: "text",
      kind: "text",
      /** Null if the server determines the account. */
      account_id: "integer?",
      server_id: "integer?",
      /** Subject; notices about one subject are sent in order. */
      resource: "text",
      data: "text",
      /** Fallen balance before and after, in cents (EUR); a notice is due if the account's threshold lies between. */
      fell_from_cents: "integer?",
      fell_to_cents: "integer?",
      noticed_at: "text",
    },
    primaryKey: ["position"],
    indexes: [{ columns: ["noticed_at", "position"] }],
  }),
  notice_servers: table({ columns: { id: "integer", account_id: "integer" }, primaryKey: ["id"] }),
  /** Balance thresholds of accounts by the position from which they apply. */
  notice_thresholds: table({
    columns: {
      account_id: "integer",
      position: "integer",
      /** Null for no notice. */
      threshold_cents: "integer?",
    },
    primaryKey: ["account_id", "position"],
  }),
  /** Erased accounts, which get no notices. */
  erased_accounts: table({ columns: { id: "integer" }, primaryKey: ["id"] }),
  /** Sealed addresses of accounts by the position from which they apply. */
  notice_mailboxes: table({
    columns: {
      account_id: "integer",
      position: "integer",
      /** Empty if there is none. */
      email: "text",
      /** ISO 3166-1 alpha-2; empty if unknown. */
      country: "text",
      changed_at: "text",
    },
    primaryKey: ["account_id", "position"],
  }),
  /** Kinds of notices that accounts get by mail, if not all. */
  notice_mail_kinds: table({
    columns: {
      account_id: "integer",
      /** JSON array; null for all kinds. */
      kinds: "text?",
    },
    primaryKey: ["account_id"],
  }),
  /** Domains with an expiry date. */
  notice_domains: table({
    columns: { id: "integer", account_id: "integer", name: "text", expires_at: "text" },
    primaryKey: ["id"],
    indexes: [{ columns: ["expires_at", "id"] }],
  }),
  /** Servers with their paid term, past or future. */
  notice_server_terms: table({
    columns: {
      id: "integer",
      account_id: "integer",
      expires_at: "text",
      /** Time of the suspension; null if running. */
      suspended_at: "text?",
      /** True if the server ends with its paid term. */
      cancelled: "boolean",
      /** True if staff hold the server. */
      held: "boolean",
      /** Time when staff last lifted a suspension. */
      released_at: "text?",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["expires_at", "id"] }],
  }),
  /** Webhooks at the same position as the notices, so that no new webhook gets earlier notices. */
  webhooks: table({
    columns: {
      id: "integer",
      account_id: "integer",
      /** JSON array; null for all kinds. */
      kinds: "text?",
      disabled: "boolean",
      /** Time of the creation or last enabling; earlier notices are not sent. */
      created_at: "text",
      created_position: "integer",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }],
  }),
};

export type NoticeSchema = Schema<typeof noticeTables>;
