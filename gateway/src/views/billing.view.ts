import type { account as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type * as schemas from "../schemas/billing.schema.ts";
import { euros, euroText } from "./money.view.ts";

/** The balance of an account. */
export function balanceView(account: messages.GetAccountResponse): z.infer<typeof schemas.balance> {
  return { balance: euroText(account.balanceCents) };
}

/** An invoice, a top-up receipt or a correction. */
export function invoiceView(invoice: messages.Invoice): z.infer<typeof schemas.invoice> {
  return {
    id: Number(invoice.id),
    number: invoice.number,
    action: invoice.action,
    gateway: invoice.gateway,
    netto: euros(invoice.netCents),
    brutto: euros(invoice.grossCents),
    duration: invoice.duration,
    paid: invoice.paidAt !== "",
    delivered: invoice.delivered,
    server_id: numberOrNull(invoice.serverId),
    domain_id: numberOrNull(invoice.domainId),
    plan_id: numberOrNull(invoice.planId),
    created_at: invoice.createdAt,
  };
}

/** A document with its lines. */
export function invoiceDetailView(
  { cause, pricesIncludeVat, lines, correctsNumber, reason }: messages.GetInvoiceResponse,
  invoice: messages.Invoice,
): z.infer<typeof schemas.invoiceDetail> {
  return {
    ...invoiceView(invoice),
    vat: euros(invoice.vatCents),
    vat_rate: invoice.vatRatePercent,
    prices_include_vat: pricesIncludeVat,
    lines: lines.map(({ description, quantity, unitCents, amountCents }) => ({
      description,
      quantity,
      unit_price: euros(unitCents),
      amount: euros(amountCents),
    })),
    // The cause of an invoice is the name of a run inside; of a receipt it is what the payer wrote.
    payment_reference: invoice.action === "topup" ? cause : null,
    corrects_invoice_id: numberOrNull(invoice.correctsInvoiceId),
    corrects_number: correctsNumber ?? null,
    reason: reason ?? null,
  };
}

function numberOrNull(id: bigint | undefined): number | null {
  return id === undefined ? null : Number(id);
}
