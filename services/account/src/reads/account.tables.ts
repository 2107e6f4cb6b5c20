import { table, type Schema } from "@hostledger/projections";

/** Every document of every account, as it was frozen. */
export const invoiceTables = {
  invoices: table({
    columns: {
      id: "integer",
      account_id: "integer",
      number: "text",
      action: "text",
      gateway: "text",
      net_cents: "integer",
      vat_cents: "integer",
      gross_cents: "integer",
      vat_rate_percent: "integer",
      duration: "integer",
      delivered: "boolean",
      domain_id: "integer?",
      server_id: "integer?",
      plan_id: "integer?",
      corrects_invoice_id: "integer?",
      corrects_number: "text?",
      cancels_receipt: "boolean",
      cause: "text",
      prices_include_vat: "boolean",
      reason: "text?",
      created_at: "text",
    },
    primaryKey: ["id"],
    indexes: [{ columns: ["account_id", "id"] }, { columns: ["cause"] }],
  }),
  /** Payments that were taken back: their receipts are not paid any more. */
  payments_taken_back: table({
    columns: {
      account_id: "integer",
      reference: "text",
      taken_back_at: "text",
      /** Null where no document cancelled the receipt. */
      cancelled_by: "text?",
    },
    primaryKey: ["account_id", "reference"],
    indexes: [],
  }),
  /** Lines of documents, counted from 1 within each. */
  invoice_lines: table({
    columns: {
      invoice_id: "integer",
      position: "integer",
      description: "text",
      quantity: "integer",
      unit_cents: "integer",
      amount_cents: "integer",
    },
    primaryKey: ["invoice_id", "position"],
    indexes: [],
  }),
};

/** Who each customer said to be, and from when on: documents show what held when they were issued. Texts are sealed. */
export const profileTables = {
  profiles: table({
    columns: {
      account_id: "integer",
      version: "integer",
      changed_at: "text",
      name: "text",
      organisation: "text",
      street: "text",
      postal_code: "text",
      city: "text",
      country: "text",
      vat_id: "text",
    },
    primaryKey: ["account_id", "version"],
    indexes: [],
  }),
};

/** Every API key, by its hash. */
export const apiKeyTables = {
  api_keys: table({
    columns: {
      key_hash: "text",
      key_id: "integer",
      account_id: "integer",
      prefix: "text",
      issued_at: "text",
      revoked_at: "text?",
    },
    primaryKey: ["key_hash"],
    indexes: [{ columns: ["key_id"], unique: true }, { columns: ["account_id", "key_id"] }],
  }),
};

/** What accounts have, by its stream: `domain-<name>` or `server-<id>`. */
export const holdingTables = {
  holdings: table({
    columns: { resource: "text", account_id: "integer" },
    primaryKey: ["resource"],
    indexes: [{ columns: ["account_id", "resource"] }],
  }),
};

/** The account service's read models as queries see them. */
export type AccountSchema = Schema<
  typeof invoiceTables & typeof apiKeyTables & typeof profileTables & typeof holdingTables
>;
