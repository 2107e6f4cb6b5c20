import { account as messages } from "@hostledger/protocol";
import type { z } from "zod";

import * as schemas from "../schemas/billing.schema.ts";
import { euros, euroText } from "./money.view.ts";
import { view } from "./view.codec.ts";

export const balanceView = view(messages.GetAccountResponseSchema, schemas.balance, {
  balance: ({ balanceCents }) => euroText(balanceCents),
});

export const invoiceView = view(messages.InvoiceSchema, schemas.invoice, {
  netto: ({ netCents }) => euros(netCents),
  brutto: ({ grossCents }) => euros(grossCents),
  paid: ({ paidAt }) => paidAt !== "",
});

const invoiceLineView = view(messages.InvoiceLineSchema, schemas.invoiceLine, {
  unit_price: ({ unitCents }) => euros(unitCents),
});

export function invoiceDetailView(
  { cause, pricesIncludeVat, lines, correctsNumber, reason }: messages.GetInvoiceResponse,
  invoice: messages.Invoice,
): z.infer<typeof schemas.invoiceDetail> {
  return {
    ...invoiceView(invoice),
    vat: euros(invoice.vatCents),
    vat_rate: invoice.vatRatePercent,
    prices_include_vat: pricesIncludeVat,
    lines: lines.map(invoiceLineView),
    // For a receipt `cause` is the payer's reference; for invoices it is an internal run id, which is hidden.
    payment_reference: invoice.action === "topup" || invoice.cancelsReceipt ? cause : null,
    corrects_invoice_id: invoice.correctsInvoiceId === undefined ? null : Number(invoice.correctsInvoiceId),
    corrects_number: correctsNumber ?? null,
    reason: reason ?? null,
  };
}
