import type { PayOut } from "./account.commands.ts";
import type { AccountEvent, BalancePaidOut } from "./account.events.ts";

/** Examples of money of account 7 that goes back to the customer, for specs. */

const at = "2026-03-01T10:00:00.000000Z";

const order = {
  to: "bank",
  reference: "k3x7m2-P1",
  topUpReference: null,
  fromIban: "DE89370400440532013000",
  iban: "NL91ABNA0417164300",
  name: "Ada",
  keptUntilYear: 2036,
  reason: "Contract ended",
} as const;

const refund = {
  ...order,
  to: "source",
  reference: "payment-k3x7m2-1-refund-1",
  topUpReference: "bank-1",
  fromIban: "",
  iban: "",
  name: "",
} as const;

export function payOutToBank(change: Partial<PayOut["data"]> = {}): PayOut {
  return { type: "PayOut", data: { ...order, amountCents: 2_000n, at, ...change } };
}

export function refundToSource(change: Partial<PayOut["data"]> = {}): PayOut {
  return { type: "PayOut", data: { ...refund, amountCents: 2_000n, at, ...change } };
}

type Change = Partial<BalancePaidOut["data"]>;

export function paidOut(change: Change = {}): BalancePaidOut {
  return {
    type: "BalancePaidOut",
    data: {
      accountId: 7,
      ...order,
      amountCents: "2000",
      balanceAfterCents: "8000",
      keyOwner: 0,
      paidOutAt: at,
      ...change,
    },
  };
}

export function refundPaidOut(change: Change = {}): BalancePaidOut {
  return paidOut({ ...refund, ...change });
}

type PaidOutReturned = Extract<AccountEvent, { type: "PaidOutReturned" }>;

export function paidOutReturned(change: Partial<PaidOutReturned["data"]> = {}): PaidOutReturned {
  return {
    type: "PaidOutReturned",
    data: {
      accountId: 7,
      to: "bank",
      reference: order.reference,
      amountCents: "2000",
      balanceAfterCents: "10000",
      reason: "AC04 Closed account",
      returnedAt: at,
      ...change,
    },
  };
}
