import type { AdjustBalance, ReverseTopUp } from "./account.commands.ts";
import type { BalanceAdjusted, ReceiptCancelled } from "./account.events.ts";
import { at, frozen } from "./account.fixture.ts";

/** Examples of staff's corrections of a balance, for specs. */

const correction = {
  kind: "debit",
  reference: "case-12",
  reason: "Paid twice by mistake",
  debtAllowed: false,
} as const;

export function adjust(data: Partial<AdjustBalance["data"]> = {}): AdjustBalance {
  return { type: "AdjustBalance", data: { ...correction, amountCents: 2_500n, at, ...data } };
}

export function reverse(reference = "bank-1", debtAllowed = false): ReverseTopUp {
  const { reason } = correction;
  return { type: "ReverseTopUp", data: { reference, correctionId: 103, reason, debtAllowed, at } };
}

export function receiptCancelled(data: Partial<ReceiptCancelled["data"]> = {}): ReceiptCancelled {
  return {
    type: "ReceiptCancelled",
    data: {
      correctionId: 103,
      number: "2026-7-C000001",
      correctsInvoiceId: 100,
      correctsNumber: "2026-7-T000001",
      reference: "bank-1",
      grossCents: "-10000",
      reason: correction.reason,
      issuedAt: at,
      ...frozen(null),
      ...data,
    },
  };
}

export function adjusted(data: Partial<BalanceAdjusted["data"]> = {}): BalanceAdjusted {
  const amounts = { amountCents: "-2500", balanceAfterCents: "7500" };
  return { type: "BalanceAdjusted", data: { ...correction, ...amounts, adjustedAt: at, ...data } };
}
