import { account, admin } from "@hostledger/protocol";
import { fromRow } from "@hostledger/rpc";

import type { ApiKeyRow, InvoiceLineRow, InvoiceRow } from "../reads/account.queries.ts";

/** A document as a Connect message. */
export const invoiceMessage = fromRow<InvoiceRow>().toMessage(account.InvoiceSchema, {
  // Everything is paid from the balance, or is a payment: it is paid when it is issued.
  paidAt: ({ created_at: createdAt }) => createdAt,
});

/** What is told of a document beside the document: whose it is, and which one it corrects. */
interface ReadInvoice extends InvoiceRow {
  readonly account_name: string;
  readonly lines: readonly InvoiceLineRow[];
  readonly corrects_issued_at: string | null;
}

const lineMessage = fromRow<InvoiceLineRow>().toMessage(account.InvoiceLineSchema, {});

/** A document with its lines. */
export const readInvoiceMessage = fromRow<ReadInvoice>().toMessage(account.GetInvoiceResponseSchema, {
  invoice: invoiceMessage,
  lines: ({ lines }) => lines.map(lineMessage),
});

/** An API key as staff sees it: never its secret. */
export const apiKeyMessage = fromRow<ApiKeyRow>().toMessage(admin.ApiKeySchema, {});
