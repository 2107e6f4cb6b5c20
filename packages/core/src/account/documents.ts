import type { ChargeBalance, CreditBalance, RefundRegistration, ReverseTopUp } from "./account.commands.ts";
import type {
  ChargeSubject,
  CorrectionIssued,
  FrozenLine,
  InvoiceIssued,
  ReceiptCancelled,
} from "./account.events.ts";
import type { Credit, OpenAccountState } from "./account.state.ts";
import type { Charge } from "./charge.ts";
import type { InvoiceLine, Totals } from "../pricing/totals.ts";
import { documentNumber, type DocumentSeries } from "./document-number.ts";

/** Builds the final documents of balance movements. Each is appended together with its movement. */

export function invoiceOf(
  charge: ChargeBalance["data"],
  totals: Totals,
  state: OpenAccountState,
): InvoiceIssued {
  return {
    type: "InvoiceIssued",
    data: {
      invoiceId: charge.invoiceId,
      number: nextNumber("invoice", state, charge.at),
      action: charge.action,
      cause: charge.chargeId,
      pricesIncludeVat: charge.pricesIncludeVat,
      lines: charge.lines.map(frozen),
      ...written(totals),
      ...subjectOf(charge),
      issuedAt: charge.at,
    },
  };
}

/** Returns the receipt of a payment. It has no VAT, because only the later invoice shows the purchase. */
export function receiptOf(credit: CreditBalance["data"], state: OpenAccountState): InvoiceIssued {
  const { amountCents, reference, invoiceId, at } = credit;
  return {
    type: "InvoiceIssued",
    data: {
      invoiceId,
      number: nextNumber("receipt", state, at),
      action: "topup",
      cause: reference,
      pricesIncludeVat: false,
      lines: [frozen({ description: "Balance top-up", quantity: 1, unitNetCents: amountCents })],
      ...written({ netCents: amountCents, vatRatePercent: 0n, vatCents: 0n, grossCents: amountCents }),
      ...forNothing,
      issuedAt: at,
    },
  };
}

/** Returns the correction of a refund: it names the invoice and negates the refunded sums. */
export function correctionOf(
  refund: Pick<RefundRegistration["data"], "correctionId" | "reason" | "at">,
  charge: Charge,
  part: Totals,
  state: OpenAccountState,
): CorrectionIssued {
  return {
    type: "CorrectionIssued",
    data: {
      correctionId: refund.correctionId,
      number: nextNumber("correction", state, refund.at),
      correctsInvoiceId: charge.invoiceId,
      correctsNumber: charge.invoiceNumber,
      chargeId: charge.chargeId,
      ...written({
        netCents: -part.netCents,
        vatRatePercent: part.vatRatePercent,
        vatCents: -part.vatCents,
        grossCents: -part.grossCents,
      }),
      ...subjectOf(charge),
      reason: refund.reason,
      issuedAt: refund.at,
    },
  };
}

/** Returns the cancellation of a reversed payment's receipt: it names the receipt and negates its sum. */
export function cancellationOf(
  { reference, correctionId, reason, at }: ReverseTopUp["data"],
  { invoiceId, number, amountCents }: Credit,
  state: OpenAccountState,
): ReceiptCancelled {
  return {
    type: "ReceiptCancelled",
    data: {
      correctionId,
      number: nextNumber("correction", state, at),
      correctsInvoiceId: invoiceId,
      correctsNumber: number,
      reference,
      grossCents: String(-amountCents),
      reason,
      issuedAt: at,
    },
  };
}

/** Empty subject of a receipt, because the later purchase is unknown. */
const forNothing: ChargeSubject = { duration: 0, domainId: null, serverId: null, planId: null };

export function subjectOf({ duration, domainId, serverId, planId }: ChargeSubject): ChargeSubject {
  return { duration, domainId, serverId, planId };
}

function nextNumber(series: DocumentSeries, state: OpenAccountState, at: string): string {
  const count = state.documentCounts[series] + 1;
  return documentNumber(series, state.accountId, count, at, state.documentSeries);
}

function frozen({ description, quantity, unitNetCents }: InvoiceLine): FrozenLine {
  return {
    description,
    quantity,
    unitCents: String(unitNetCents),
    amountCents: String(BigInt(quantity) * unitNetCents),
  };
}

function written(
  totals: Totals,
): Pick<CorrectionIssued["data"], "netCents" | "vatRatePercent" | "vatCents" | "grossCents"> {
  return {
    netCents: String(totals.netCents),
    vatRatePercent: Number(totals.vatRatePercent),
    vatCents: String(totals.vatCents),
    grossCents: String(totals.grossCents),
  };
}
