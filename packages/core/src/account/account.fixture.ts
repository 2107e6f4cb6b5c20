import { placeholderSeller } from "../seller/seller.decider.ts";
import type { ChargeBalance, CreditBalance, GrantRefund, RefundRegistration } from "./account.commands.ts";
import type {
  AccountEvent,
  AccountOpened,
  CorrectionIssued,
  InvoiceIssued,
  RefundGranted,
} from "./account.events.ts";

/** Examples of account 7's commands and events, for specs, all at the same instant. */

export const at = "2026-03-01T10:00:00.000000Z";

type Frozen = Pick<InvoiceIssued["data"], "accountId" | "terms" | "buyer" | "keptUntilYear">;

/**
 * Frozen terms of Ada's documents of 1 March 2026, with the placeholder as seller.
 * @param percent null on a receipt.
 */
export function frozen(percent: number | null = 19): Frozen {
  const standard = {
    category: "S",
    country: "DE",
    rateBasisPoints: 1_900,
    reason: "flat",
    legalText: "",
  } as const;
  const exempt = {
    category: "E",
    country: "DE",
    rateBasisPoints: 0,
    reason: "exempted",
    legalText: "Exempt from VAT.",
  } as const;
  return {
    accountId: 7,
    terms: {
      businessDate: "2026-03-01",
      supply: null,
      sold: null,
      tax: percent === null ? null : percent === 0 ? exempt : standard,
      seller: placeholderSeller,
      buyerVersion: 0,
      language: "en",
      templateVersion: 1,
    },
    buyer:
      '{"kind":null,"name":"Ada","organisation":"","street":"","postalCode":"","city":"","country":"","email":"","vatId":"","leitwegId":""}',
    keptUntilYear: 2034,
  };
}

export function opened({ vatExempt = false } = {}): AccountOpened {
  return { type: "AccountOpened", data: { accountId: 7, name: "Ada", vatExempt, openedAt: at } };
}

export function credit(data: Partial<CreditBalance["data"]> = {}): CreditBalance {
  return {
    type: "CreditBalance",
    data: { reference: "bank-1", amountCents: 10_000n, invoiceId: 100, at, ...data },
  };
}

/** The events of a payment that leads to a balance of `balance` cents. */
export function credited({
  reference = "bank-1",
  amount = "10000",
  balance = "10000",
  invoiceId = 100,
  number = "2026-7-T000001",
} = {}): readonly AccountEvent[] {
  return [
    {
      type: "BalanceCredited",
      data: { reference, amountCents: amount, balanceAfterCents: balance, creditedAt: at },
    },
    {
      type: "InvoiceIssued",
      data: {
        invoiceId,
        number,
        action: "topup",
        cause: reference,
        pricesIncludeVat: false,
        lines: [{ description: "Balance top-up", quantity: 1, unitCents: amount, amountCents: amount }],
        netCents: amount,
        vatRatePercent: 0,
        vatCents: "0",
        grossCents: amount,
        duration: 0,
        domainId: null,
        serverId: null,
        planId: null,
        issuedAt: at,
        ...frozen(null),
      },
    },
  ];
}

/** A customer buys a domain, by default one year at 10.00 net. */
export function charge(data: Partial<ChargeBalance["data"]> = {}): ChargeBalance {
  return {
    type: "ChargeBalance",
    data: {
      chargeId: "registration-1",
      action: "purchase",
      lines: [{ description: "Registration of example.com, per year", quantity: 1, unitNetCents: 1_000n }],
      pricesIncludeVat: false,
      duration: 1,
      domainId: 3,
      serverId: null,
      planId: null,
      invoiceId: 101,
      at,
      ...data,
    },
  };
}

/** The invoice of `charge()`: 10.00 net, 1.90 VAT, 11.90 gross. */
export const invoiceData: InvoiceIssued["data"] = {
  invoiceId: 101,
  number: "2026-7-000001",
  action: "purchase",
  cause: "registration-1",
  pricesIncludeVat: false,
  lines: [
    {
      description: "Registration of example.com, per year",
      quantity: 1,
      unitCents: "1000",
      amountCents: "1000",
    },
  ],
  netCents: "1000",
  vatRatePercent: 19,
  vatCents: "190",
  grossCents: "1190",
  duration: 1,
  domainId: 3,
  serverId: null,
  planId: null,
  issuedAt: at,
  ...frozen(),
};

export function charged(
  balance = "8810",
  invoice: Partial<InvoiceIssued["data"]> = {},
): readonly AccountEvent[] {
  const data = { ...invoiceData, ...frozen(invoice.vatRatePercent), ...invoice };
  const { cause: chargeId, invoiceId, grossCents } = data;
  return [
    {
      type: "BalanceCharged",
      data: { chargeId, invoiceId, grossCents, balanceAfterCents: balance, chargedAt: at },
    },
    { type: "InvoiceIssued", data },
  ];
}

export function refund(data: Partial<RefundRegistration["data"]> = {}): RefundRegistration {
  return {
    type: "RefundRegistration",
    data: { chargeId: "registration-1", correctionId: 102, reason: "The registrar refused", at, ...data },
  };
}

export const correctionData: CorrectionIssued["data"] = {
  correctionId: 102,
  number: "2026-7-C000001",
  correctsInvoiceId: 101,
  correctsNumber: "2026-7-000001",
  chargeId: "registration-1",
  netCents: "-1000",
  vatRatePercent: 19,
  vatCents: "-190",
  grossCents: "-1190",
  duration: 1,
  domainId: 3,
  serverId: null,
  planId: null,
  reason: "The registrar refused",
  issuedAt: at,
  ...frozen(),
};

export function refunded(
  balance = "10000",
  correction: Partial<CorrectionIssued["data"]> = {},
): readonly AccountEvent[] {
  return [
    {
      type: "RegistrationRefunded",
      data: {
        chargeId: "registration-1",
        correctionId: 102,
        grossCents: "1190",
        balanceAfterCents: balance,
        reason: "The registrar refused",
        refundedAt: at,
      },
    },
    { type: "CorrectionIssued", data: { ...correctionData, ...correction } },
  ];
}

export function grant(data: Partial<GrantRefund["data"]> = {}): GrantRefund {
  return {
    type: "GrantRefund",
    data: {
      chargeId: "registration-1",
      amountCents: 333n,
      correctionId: 102,
      reason: "Outage of 20 November",
      at,
      ...data,
    },
  };
}

/** The events of `grant()` after `charged()`: 3.33 of 11.90 contain 0.53 of its 1.90 VAT. */
export function granted(
  refund: Partial<RefundGranted["data"]> = {},
  correction: Partial<CorrectionIssued["data"]> = {},
): readonly AccountEvent[] {
  const reason = "Outage of 20 November";
  const data = {
    chargeId: "registration-1",
    correctionId: 102,
    grossCents: "333",
    balanceAfterCents: "9143",
    reason,
    refundedAt: at,
    ...refund,
  };
  const sums = { netCents: "-280", vatCents: "-53", grossCents: "-333" };
  return [
    { type: "RefundGranted", data },
    { type: "CorrectionIssued", data: { ...correctionData, ...sums, reason: data.reason, ...correction } },
  ];
}
