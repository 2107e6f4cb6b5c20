import { accountIdOf, dayOf, isTeamCharge, type InvoiceIssued } from "@hostledger/core";
import type { Projection } from "@hostledger/read";

import {
  accountsIgnored,
  bankIgnored,
  documentsIgnored,
  paymentsIgnored,
  walletsIgnored,
  holdingsIgnored,
  unheardIgnored,
  type AccountSubscriptionEvent,
} from "./account.subscription.ts";
import { invoiceTables } from "./account.tables.ts";

/** Documents of accounts: a row per document, per line and per reversed payment. */
export const invoices: Projection<AccountSubscriptionEvent, typeof invoiceTables> = {
  name: "invoices",
  version: 8,
  categories: ["account", "domain", "server"],
  tables: invoiceTables,
  handlers: {
    ...unheardIgnored,
    ...holdingsIgnored,
    ...accountsIgnored,
    ...bankIgnored,
    ...documentsIgnored,
    ...paymentsIgnored,
    ...walletsIgnored,
    InvoiceIssued: (db, { event: { data }, stream }) => {
      const isReceipt = data.action === "topup";
      db.insert("invoices", {
        id: data.invoiceId,
        account_id: accountIdOf(stream),
        number: data.number,
        action: data.action,
        gateway: isReceipt ? "transfer" : "balance",
        net_cents: BigInt(data.netCents),
        vat_cents: BigInt(data.vatCents),
        gross_cents: BigInt(data.grossCents),
        vat_rate_basis_points: basisPoints(data.vatRatePercent),
        duration: data.duration,
        // Payments are delivered at once, and deliveries of internal teams are unknown here. Other items are delivered
        // by
        // an event of their domain or server.
        delivered: isReceipt || isTeamCharge(data.cause),
        domain_id: data.domainId,
        server_id: data.serverId,
        plan_id: data.planId,
        corrects_invoice_id: null,
        corrects_number: null,
        cancels_receipt: false,
        cause: data.cause,
        prices_include_vat: data.pricesIncludeVat,
        reason: null,
        created_at: data.issuedAt,
        ...taxed(data),
      });
      for (const [index, line] of data.lines.entries()) {
        db.insert("invoice_lines", {
          invoice_id: data.invoiceId,
          position: index + 1,
          description: line.description,
          quantity: line.quantity,
          unit_cents: BigInt(line.unitCents),
          amount_cents: BigInt(line.amountCents),
        });
      }
    },
    CorrectionIssued: (db, { event: { data }, stream }) => {
      db.insert("invoices", {
        id: data.correctionId,
        account_id: accountIdOf(stream),
        number: data.number,
        action: "refund",
        gateway: "balance",
        net_cents: BigInt(data.netCents),
        vat_cents: BigInt(data.vatCents),
        gross_cents: BigInt(data.grossCents),
        vat_rate_basis_points: basisPoints(data.vatRatePercent),
        duration: data.duration,
        delivered: true,
        domain_id: data.domainId,
        server_id: data.serverId,
        plan_id: data.planId,
        corrects_invoice_id: data.correctsInvoiceId,
        corrects_number: data.correctsNumber,
        cancels_receipt: false,
        cause: data.chargeId,
        prices_include_vat: false,
        reason: data.reason,
        created_at: data.issuedAt,
        ...taxed(data),
      });
    },
    BalanceAdjusted: (db, { event: { data }, stream }) => {
      if (data.kind !== "top-up-reversed") return;
      db.insert("payments_taken_back", {
        account_id: accountIdOf(stream),
        reference: data.reference,
        taken_back_at: data.adjustedAt,
        cancelled_by: null,
      });
    },
    ReceiptCancelled: (db, { event: { data }, stream }) => {
      const account_id = accountIdOf(stream);
      const { reference, number } = data;
      db.update("payments_taken_back", { account_id, reference }, { cancelled_by: number });
      db.insert("invoices", {
        id: data.correctionId,
        account_id,
        number,
        action: "refund",
        gateway: "transfer",
        net_cents: BigInt(data.grossCents),
        vat_cents: 0n,
        gross_cents: BigInt(data.grossCents),
        vat_rate_basis_points: 0,
        duration: 0,
        delivered: true,
        domain_id: null,
        server_id: null,
        plan_id: null,
        corrects_invoice_id: data.correctsInvoiceId,
        corrects_number: data.correctsNumber,
        cancels_receipt: true,
        cause: reference,
        prices_include_vat: false,
        reason: data.reason,
        created_at: data.issuedAt,
        ...taxed(data),
      });
    },
    DomainRegistered: (db, { event: { data } }) => {
      db.update("invoices", { id: data.invoiceId }, { delivered: true });
    },
    DomainTransferredIn: (db, { event: { data } }) => {
      db.update("invoices", { id: data.invoiceId }, { delivered: true });
    },
    DomainRenewed: (db, { event: { data } }) => {
      db.update("invoices", { id: data.invoiceId }, { delivered: true });
    },
    ServerProvisioned: (db, { event: { data } }) => {
      // Gifts and imported servers have no invoice.
      if (data.invoiceId !== null) db.update("invoices", { id: data.invoiceId }, { delivered: true });
    },
    ServerRenewed: (db, { event: { data } }) => {
      db.update("invoices", { id: data.invoiceId }, { delivered: true });
    },
  },
};

/** 25.5 per cent are 2 550 basis points. */
function basisPoints(percent: number): number {
  return Math.round(percent * 100);
}

/** Returns the columns of a document's terms; older documents have the UTC day of their issue. */
function taxed({ terms, issuedAt }: Pick<InvoiceIssued["data"], "terms" | "issuedAt">): Record<
  "business_date" | "tax_reason",
  string | null
> & {
  readonly business_date: string;
} {
  return { business_date: terms?.businessDate ?? dayOf(issuedAt), tax_reason: terms?.tax?.reason ?? null };
}
