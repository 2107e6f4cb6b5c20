import type { HostingEvent } from "@hostledger/core";
import { chargeName, chargeRow, type ChargeTable } from "../tables/charge-table.ts";
import type { Check, Report } from "./check.ts";

type EventOf<Type extends HostingEvent["type"]> = Extract<HostingEvent, { readonly type: Type }>;

/** Checks that every charge is made once with one invoice, and that refunds name a charge and do not exceed it. */
export function chargesCheck(charges: ChargeTable): Check {
  return {
    see({ index, accountId = 0, event }, report) {
      if (event?.type === "BalanceCharged") charge(charges, index, accountId, event, report);
      else if (event?.type === "RegistrationRefunded" || event?.type === "ChargeRefunded")
        refund(charges, index, accountId, event.data, report);
      else if (event?.type === "RefundGranted") {
        const row = refund(charges, index, accountId, event.data, report);
        if (row !== undefined)
          charges.grantedCents.set(row, charges.grantedCents.get(row) + BigInt(event.data.grossCents));
      } else if (event?.type === "InvoiceIssued" && event.data.action !== "topup")
        invoice(charges, index, accountId, event, report);
      else if (event?.type === "CorrectionIssued") correct(charges, index, accountId, event, report);
    },
    end(size, report) {
      for (let row = 0; row < charges.names.size; row += 1) {
        const at = charges.chargedAt.get(row);
        // Charge and invoice are one append, so only at the end of the log may the invoice be missing.
        if (at > 0 && at < size && charges.invoices.get(row) === 0)
          report("charges", at - 1, "is a charge without an invoice");
      }
    },
  };
}

function charge(
  charges: ChargeTable,
  index: number,
  accountId: number,
  { data }: EventOf<"BalanceCharged">,
  report: Report,
): void {
  const row = charges.names.add(chargeName(accountId, data.chargeId));
  if (charges.chargedAt.get(row) > 0) {
    report("charges", index, `charges ${data.chargeId} a second time`);
    return;
  }
  charges.chargedAt.set(row, index + 1);
  charges.accountId.set(row, accountId);
  charges.invoiceId.set(row, data.invoiceId);
  charges.grossCents.set(row, BigInt(data.grossCents));
}

function refund(
  charges: ChargeTable,
  index: number,
  accountId: number,
  { chargeId, grossCents }: EventOf<"ChargeRefunded">["data"],
  report: Report,
): number | undefined {
  const row = chargeRow(charges, accountId, chargeId);
  if (row === undefined || charges.accountId.get(row) !== accountId) {
    report("charges", index, `refunds ${chargeId}, which was never charged to this account`);
    return undefined;
  }
  const refunded = charges.refundedCents.get(row) + BigInt(grossCents);
  const charged = charges.grossCents.get(row);
  charges.refundedCents.set(row, refunded);
  if (refunded > charged)
    report(
      "charges",
      index,
      `refunds ${String(refunded)} cents of ${chargeId}, charged were ${String(charged)}`,
    );
  return row;
}

function invoice(
  charges: ChargeTable,
  index: number,
  accountId: number,
  { data }: EventOf<"InvoiceIssued">,
  report: Report,
): void {
  const row = chargeRow(charges, accountId, data.cause);
  if (row === undefined || charges.accountId.get(row) !== accountId) {
    report("charges", index, `is the invoice ${data.number} over ${data.cause}, which was never charged`);
    return;
  }
  const count = charges.invoices.get(row) + 1;
  charges.invoices.set(row, count);
  if (count > 1) report("charges", index, `is a second invoice over ${data.cause}`);
  if (charges.invoiceId.get(row) !== data.invoiceId)
    report("charges", index, `is not the invoice that ${data.cause} names`);
  const charged = charges.grossCents.get(row);
  if (charged !== BigInt(data.grossCents))
    report("charges", index, `is over ${data.grossCents} cents, charged were ${String(charged)}`);
}

function correct(
  charges: ChargeTable,
  index: number,
  accountId: number,
  { data }: EventOf<"CorrectionIssued">,
  report: Report,
): void {
  const row = chargeRow(charges, accountId, data.chargeId);
  if (row === undefined || charges.accountId.get(row) !== accountId) {
    report("charges", index, `corrects ${data.chargeId}, which was never charged to this account`);
    return;
  }
  if (charges.invoiceId.get(row) !== data.correctsInvoiceId)
    report("charges", index, `names another invoice than ${data.chargeId} has`);
  // After each partial refund, the corrections must equal the refunded amount.
  const corrected = charges.correctedCents.get(row) - BigInt(data.grossCents);
  charges.correctedCents.set(row, corrected);
  if (charges.refundedCents.get(row) !== corrected)
    report("charges", index, `is over ${data.grossCents} cents, which is not what was refunded`);
}
