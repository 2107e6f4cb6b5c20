import type { MessageInitShape } from "@bufbuild/protobuf";
import type { account } from "@hostledger/protocol";

import type { InvoiceRow } from "../reads/account.queries.ts";

/** A document as a Connect message. */
export function invoiceMessage(row: InvoiceRow): MessageInitShape<typeof account.InvoiceSchema> {
  return {
    id: BigInt(row.id),
    number: row.number,
    action: row.action,
    gateway: row.gateway,
    netCents: BigInt(row.net_cents),
    vatCents: BigInt(row.vat_cents),
    grossCents: BigInt(row.gross_cents),
    vatRatePercent: row.vat_rate_percent,
    duration: row.duration,
    // Everything is paid from the balance, or is a payment: it is paid when it is issued.
    paidAt: row.created_at,
    delivered: row.delivered === 1,
    createdAt: row.created_at,
    ...(row.domain_id === null ? {} : { domainId: BigInt(row.domain_id) }),
    ...(row.server_id === null ? {} : { serverId: BigInt(row.server_id) }),
    ...(row.plan_id === null ? {} : { planId: BigInt(row.plan_id) }),
    ...(row.corrects_invoice_id === null ? {} : { correctsInvoiceId: BigInt(row.corrects_invoice_id) }),
  };
}
