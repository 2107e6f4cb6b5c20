import { table, type Schema } from "@hostledger/read";
import { workTables, type WorkSchema } from "@hostledger/work/work-table";

/** All documents, unchanged since their issue. */
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
      vat_rate_basis_points: "integer",
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
      /** Day of the document in the seller's time zone. */
      business_date: "text",
      /** Why the document has its rate; null on receipts and older documents. */
      tax_reason: "text?",
    },
    primaryKey: ["id"],
    indexes: [
      { columns: ["account_id", "id"] },
      { columns: ["cause"] },
      { columns: ["tax_reason", "business_date"] },
    ],
  }),
  /** Reversed payments, whose receipts no longer count as paid. */
  payments_taken_back: table({
    columns: {
      account_id: "integer",
      reference: "text",
      taken_back_at: "text",
      /** Number of the document that cancelled the receipt; null if none. */
      cancelled_by: "text?",
    },
    primaryKey: ["account_id", "reference"],
    indexes: [],
  }),
  /** Lines of documents, numbered from 1. */
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

/** Kind of work that archives documents; its keys are their ids. */
export const archiveKind = "archive";

/** Kind of work that credits payments by bank transfer; its keys are an IBAN and the number of an entry. */
export const bankCreditKind = "bank-credit";

/** Kind of work that reminds customers of debts; its keys are account ids. */
export const debtKind = "debt";

/** Kind of work on payouts to bank accounts; its keys are an account's id and an end-to-end id. */
export const payoutKind = "payout";

/** Documents that wait for the archive, and the event of each document. */
export const documentTables = {
  ...workTables,
  document_events: table({
    columns: {
      id: "integer",
      account_id: "integer",
      /** Place in the account's stream of the event that issued the document. */
      revision: "integer",
      archived: "boolean",
    },
    primaryKey: ["id"],
    indexes: [],
  }),
};

/** Kind of work on payments; its keys are their streams' names without the category. */
export const paymentKind = "payment";

/** Kind of work that ends top-ups by bank transfer which nobody paid; its keys are those of payments. */
export const transferKind = "transfer";

/** Kind of work on automatic top-ups; its keys are accounts. */
export const autoTopUpKind = "auto-topup";

/** Kind of work that removes withdrawn methods at the payment provider; its keys are an account and a method. */
export const methodRemovalKind = "method-removal";

/** Payments by customers. */
export const paymentTables = {
  payments: table({
    columns: {
      id: "integer",
      account_id: "integer",
      method: "text",
      amount_cents: "integer",
      /** `pending`, `settled`, `failed` or `returned`. */
      state: "text",
      /** Amount paid, in cents (EUR); null before the settlement. */
      paid_cents: "integer?",
      /** The provider's page, while the customer can pay there. */
      redirect_url: "text?",
      /** The provider's reference, under which the balance was credited. */
      reference: "text?",
      /** Why nothing came, or why it went, in the provider's words. */
      failure: "text?",
      created_at: "text",
      /** When the books learned what came; null before. */
      settled_at: "text?",
      /** The payment's stream without its category. */
      stream_key: "text",
      /** Method that was stored with the payment. */
      stored_method_id: "integer?",
    },
    primaryKey: ["id"],
    indexes: [
      { columns: ["account_id", "id"] },
      { columns: ["stored_method_id"] },
      { columns: ["settled_at", "id"] },
    ],
  }),
};

/** Versions of profiles, so that documents show the profile at their issue. Texts are sealed. */
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
      leitweg_id: "text",
    },
    primaryKey: ["account_id", "version"],
    indexes: [],
  }),
};

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

/** Possessions of accounts by stream: `domain-<name>` or `server-<id>`. */
export const holdingTables = {
  holdings: table({
    columns: { resource: "text", account_id: "integer" },
    primaryKey: ["resource"],
    indexes: [{ columns: ["account_id", "resource"] }],
  }),
};

export type AccountSchema = Schema<
  typeof invoiceTables &
    typeof apiKeyTables &
    typeof profileTables &
    typeof holdingTables &
    typeof paymentTables &
    Pick<typeof documentTables, "document_events">
> &
  WorkSchema;
