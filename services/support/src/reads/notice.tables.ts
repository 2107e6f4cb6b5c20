import { table, type Schema } from "@hostledger/projections";

/** What customers are notified of, whether or not they want it; and what facts leave out that a notice needs. */
export const noticeTables = {
  notices: table({
    columns: {
      /** Of the fact that says it. A key that only grows: one by id would change a page of the tree for each notice. */
      position: "integer",
      /** The same for every repeat of one notice, and the id under which receivers get it. */
      notice_id: "text",
      kind: "text",
      /** Null where the server tells whose it is. */
      account_id: "integer?",
      server_id: "integer?",
      /** What it is about: those about one are sent in the order of the log. */
      resource: "text",
      /** JSON. */
      data: "text",
      /** Of a balance that fell, from which amount to which, in cents (EUR): a notice where the account's threshold lies between. */
      fell_from_cents: "integer?",
      fell_to_cents: "integer?",
      noticed_at: "text",
    },
    primaryKey: ["position"],
    indexes: [{ columns: ["noticed_at", "position"] }],
  }),
  notice_servers: table({ columns: { id: "integer", account_id: "integer" }, primaryKey: ["id"] }),
  /** Below which balance each account is notified, from which place of the log on. */
  notice_thresholds: table({
    columns: {
      account_id: "integer",
      position: "integer",
      /** Null for no notice. */
      threshold_cents: "integer?",
    },
    primaryKey: ["account_id", "position"],
  }),
  /** Accounts of persons who were erased: they are notified of nothing any more. */
  erased_accounts: table({ columns: { id: "integer" }, primaryKey: ["id"] }),
  /** Where accounts are written to, sealed as the log has it, from which place of the log on. */
  notice_mailboxes: table({
    columns: {
      account_id: "integer",
      position: "integer",
      /** Empty for none. */
      email: "text",
      /** ISO 3166-1 alpha-2; empty where it is not known. */
      country: "text",
      changed_at: "text",
    },
    primaryKey: ["account_id", "position"],
  }),
  /** Of which kinds accounts get mail, where that is not all. */
  notice_mail_kinds: table({
    columns: {
      account_id: "integer",
      /** A JSON array; null for every kind. */
      kinds: "text?",
    },
    primaryKey: ["account_id"],
  }),
  /** Domains that expire some day. */
  notice_domains: table({
    columns: { id: "integer", account_id: "integer", name: "text", expires_at: "text" },
    primaryKey: ["id"],
    indexes: [{ columns: ["expires_at", "id"] }],
  }),
  /** Servers whose paid time ends some day, or has. */
  notice_server_terms: table({
    columns: {
      id: "integer",
      account_id: "integer",
      expires_at: "text",
      /** Since when it does not run; null while it does. */
      suspended_at: "text?",
      /** It ends with its paid time. */
      cancelled: "boolean",
      /** Staff hold it. */
      held: "boolean",
      /** When staff last lifted a suspension. */
      released_at: "text?",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["expires_at", "id"] }],
  }),
  /** Which webhooks there are, at the same place of the log: none is created behind a notice that is there already. */
  webhooks: table({
    columns: {
      id: "integer",
      account_id: "integer",
      /** A JSON array; null for every kind. */
      kinds: "text?",
      disabled: "boolean",
      /** When it was created, or enabled again; earlier notices are not for it. */
      created_at: "text",
      created_position: "integer",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }],
  }),
};

/** These tables as queries see them. */
export type NoticeSchema = Schema<typeof noticeTables>;
