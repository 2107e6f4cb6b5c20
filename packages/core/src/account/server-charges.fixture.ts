import type { ChargeBalance, RefundCharge } from "./account.commands.ts";
import type { AccountEvent, InvoiceIssued } from "./account.events.ts";
import { at, charge, charged, correctionData, frozen, invoiceData } from "./account.fixture.ts";

/** Renews server 9 of plan 2 for three months, by default at 28.47 gross. */
export function serverCharge(data: Partial<ChargeBalance["data"]> = {}): ChargeBalance {
  return charge({
    chargeId: "serverrenewal-1",
    action: "renewal",
    lines: [{ description: "Renewal of a server Small, 3 months", quantity: 1, unitNetCents: 2_847n }],
    pricesIncludeVat: true,
    duration: 3,
    domainId: null,
    serverId: 9,
    planId: 2,
    ...data,
  });
}

/** The invoice of `serverCharge()`: 28.47 gross contain 4.55 VAT. */
export const serverInvoiceData: InvoiceIssued["data"] = {
  ...invoiceData,
  action: "renewal",
  cause: "serverrenewal-1",
  pricesIncludeVat: true,
  lines: [
    {
      description: "Renewal of a server Small, 3 months",
      quantity: 1,
      unitCents: "2847",
      amountCents: "2847",
    },
  ],
  netCents: "2392",
  vatCents: "455",
  grossCents: "2847",
  duration: 3,
  domainId: null,
  serverId: 9,
  planId: 2,
};

export function serverCharged(
  balance = "7153",
  invoice: Partial<InvoiceIssued["data"]> = {},
): readonly AccountEvent[] {
  return charged(balance, { ...serverInvoiceData, ...frozen(invoice.vatRatePercent), ...invoice });
}

export function serverRefund(data: Partial<RefundCharge["data"]> = {}): RefundCharge {
  return {
    type: "RefundCharge",
    data: { chargeId: "serverrenewal-1", correctionId: 102, reason: "There is no such server", at, ...data },
  };
}

export function serverRefunded(balance = "10000"): readonly AccountEvent[] {
  const reason = "There is no such server";
  return [
    {
      type: "ChargeRefunded",
      data: {
        chargeId: "serverrenewal-1",
        correctionId: 102,
        grossCents: "2847",
        balanceAfterCents: balance,
        reason,
        refundedAt: at,
      },
    },
    {
      type: "CorrectionIssued",
      data: {
        ...correctionData,
        chargeId: "serverrenewal-1",
        netCents: "-2392",
        vatCents: "-455",
        grossCents: "-2847",
        duration: 3,
        domainId: null,
        serverId: 9,
        planId: 2,
        reason,
      },
    },
  ];
}
