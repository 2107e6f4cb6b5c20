import { teamChargeId } from "@hostledger/core";
import { serverExamples } from "@hostledger/core/testing";
import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import type { AccountSubscriptionEvent } from "./account.subscription.ts";
import {
  examples,
  receipt,
  serverCorrection,
  serverInvoice,
  stored,
  typesInStreams,
} from "./account-subscription.fixture.ts";
import type { invoiceTables } from "./account.tables.ts";
import { invoices } from "./invoices.projection.ts";

type Rows = ExpectedRows<typeof invoiceTables>;

const invoice = {
  id: 101,
  account_id: 7,
  number: "2026-7-000001",
  action: "purchase",
  gateway: "balance",
  net_cents: 1_000,
  vat_cents: 190,
  gross_cents: 1_190,
  vat_rate_basis_points: 1_900,
  duration: 1,
  delivered: 0,
  domain_id: 3,
  server_id: null,
  plan_id: null,
  corrects_invoice_id: null,
  corrects_number: null,
  cancels_receipt: 0,
  cause: "registration-1",
  prices_include_vat: 0,
  reason: null,
  created_at: "2026-03-01T10:00:00.000000Z",
  business_date: "2026-03-01",
  tax_reason: "flat",
};

const line = {
  invoice_id: 101,
  position: 1,
  description: "Registration of example.com, per year",
  quantity: 1,
  unit_cents: 1_000,
  amount_cents: 1_000,
};

const correction = {
  ...invoice,
  id: 102,
  number: "2026-7-C000001",
  action: "refund",
  net_cents: -1_000,
  vat_cents: -190,
  gross_cents: -1_190,
  delivered: 1,
  corrects_invoice_id: 101,
  corrects_number: "2026-7-000001",
  reason: "The registrar refused",
};

const topUp = {
  ...invoice,
  id: 100,
  number: "2026-7-T000001",
  action: "topup",
  gateway: "transfer",
  net_cents: 10_000,
  vat_cents: 0,
  gross_cents: 10_000,
  vat_rate_basis_points: 0,
  duration: 0,
  delivered: 1,
  domain_id: null,
  cause: "bank-1",
  tax_reason: null,
};

const cancellation = {
  ...topUp,
  id: 103,
  number: "2026-7-C000001",
  action: "refund",
  net_cents: -10_000,
  gross_cents: -10_000,
  corrects_invoice_id: 100,
  corrects_number: "2026-7-T000001",
  cancels_receipt: 1,
  reason: "Paid twice by mistake",
};

const topUpLine = {
  ...line,
  invoice_id: 100,
  description: "Balance top-up",
  unit_cents: 10_000,
  amount_cents: 10_000,
};

describe("invoices", () => {
  const undelivered: Rows = { invoices: [invoice], invoice_lines: [line] };
  const delivered: Rows = { invoices: [{ ...invoice, delivered: 1 }], invoice_lines: [line] };

  /** Expected rows after each event on the invoice of an undelivered item. A missing event type does not compile. */
  const next: Readonly<Record<Exclude<AccountSubscriptionEvent["type"], "InvoiceIssued">, Rows>> = {
    AccountOpened: undelivered,
    PersonalDataErased: undelivered,
    ProfileChanged: undelivered,
    DocumentSeriesBegun: undelivered,
    VatExemptionChanged: undelivered,
    VatIdChecked: undelivered,
    DebtReminded: undelivered,
    BalanceCredited: undelivered,
    BalanceAdjusted: undelivered,
    BalancePaidOut: undelivered,
    PaidOutReturned: undelivered,
    BalanceCharged: undelivered,
    RegistrationRefunded: undelivered,
    ChargeRefunded: undelivered,
    RefundGranted: undelivered,
    CorrectionIssued: { invoices: [invoice, correction], invoice_lines: [line] },
    ReceiptCancelled: { invoices: [invoice, cancellation], invoice_lines: [line] },
    ApiKeyIssued: undelivered,
    ApiKeyRevoked: undelivered,
    DomainRegistered: delivered,
    DomainTransferredIn: delivered,
    DomainRenewed: delivered,
    ServerProvisioned: delivered,
    ServerRenewed: delivered,
    RegistrationReserved: undelivered,
    RegistrationReleased: undelivered,
    TransferReserved: undelivered,
    TransferReleased: undelivered,
    DomainTransferredAway: undelivered,
    DomainDeleted: undelivered,
    ServerOrdered: undelivered,
    ServerOrderFailed: undelivered,
    ServerTerminationBegun: undelivered,
    DocumentArchived: undelivered,
    PaymentRequested: undelivered,
    PaymentOpened: undelivered,
    PaymentSettled: undelivered,
    PaymentFailed: undelivered,
    PaymentReturned: undelivered,
    RefundOrdered: undelivered,
    RefundSettled: undelivered,
    RefundRefused: undelivered,
    MethodStored: undelivered,
    MethodWithdrawn: undelivered,
    MethodRemoved: undelivered,
    AutoTopUpSet: undelivered,
    AutoTopUpOrdered: undelivered,
    AutoTopUpStopped: undelivered,
    StatementImported: undelivered,
    BankEntryBooked: undelivered,
    EntryMatched: undelivered,
    EntryParked: undelivered,
    EntryReassigned: undelivered,
    EntryMatchedToProvider: undelivered,
    EntryReturned: undelivered,
    PayoutQueued: undelivered,
    PayoutFileMade: undelivered,
    PayoutPaid: undelivered,
    PayoutReturned: undelivered,
  };
  const { InvoiceIssued: issued, ...others } = examples;
  const { DomainRegistered: registered, DomainRenewed: renewed } = examples;

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(invoices).given(stored(issued)).when(stored(event)).then(next[event.type]);
  });

  test("InvoiceIssued", () => {
    projectionSpec(invoices).when(stored(issued)).then(undelivered);
  });

  it("stop at no event of the streams they follow", () => {
    expect(Object.keys(invoices.handlers).toSorted()).toEqual(typesInStreams.toSorted());
  });

  it("show the server and the plan that were paid for, also on the correction", () => {
    const amounts = { net_cents: 2_392, vat_cents: 455, gross_cents: 2_847 };
    const subject = { duration: 3, domain_id: null, server_id: 9, plan_id: 2 };
    const back = { net_cents: -2_392, vat_cents: -455, gross_cents: -2_847 };
    const cause = "serverrenewal-1";
    projectionSpec(invoices)
      .given(stored(serverInvoice))
      .when(stored(serverCorrection))
      .then({
        invoices: [
          { ...invoice, action: "renewal", ...amounts, ...subject, cause, prices_include_vat: 1 },
          { ...correction, ...back, ...subject, cause, reason: "There is no such server" },
        ],
        invoice_lines: [
          {
            ...line,
            description: "Renewal of a server Small, 3 months",
            unit_cents: 2_847,
            amount_cents: 2_847,
          },
        ],
      });
  });

  it("keep their lines in order", () => {
    const { data } = issued;
    const [first] = data.lines;
    const second = { description: "Privacy", quantity: 2, unitCents: "150", amountCents: "300" };
    projectionSpec(invoices)
      .when(stored({ ...issued, data: { ...data, lines: first === undefined ? [] : [first, second] } }))
      .then({
        invoices: [invoice],
        invoice_lines: [
          line,
          {
            ...line,
            position: 2,
            description: "Privacy",
            quantity: 2,
            unit_cents: 150,
            amount_cents: 300,
          },
        ],
      });
  });

  it("are not delivered by a server without a charge", () => {
    projectionSpec(invoices)
      .given(stored(issued))
      .when(stored(serverExamples.provisioned({ chargeId: null, invoiceId: null })))
      .then(undelivered);
  });

  it("are delivered if an internal team charges, because no event of a domain or a server will follow", () => {
    const cause = teamChargeId("backups", "march");
    projectionSpec(invoices)
      .when(stored({ ...issued, data: { ...issued.data, cause } }))
      .then({ invoices: [{ ...invoice, cause, delivered: 1 }], invoice_lines: [line] });
  });

  it("show the receipt of a payment as delivered, and no VAT on it", () => {
    projectionSpec(invoices)
      .when(stored(receipt))
      .then({ invoices: [topUp], invoice_lines: [topUpLine] });
  });

  it("of reversed payments show the time, and the cancellation document if there is one", () => {
    const { data } = examples.BalanceAdjusted;
    const back = stored({
      type: "BalanceAdjusted",
      data: { ...data, kind: "top-up-reversed", reference: "bank-1" },
    });
    const row = { account_id: 7, reference: "bank-1", taken_back_at: data.adjustedAt };
    const rows = { invoices: [topUp], invoice_lines: [topUpLine] };
    projectionSpec(invoices)
      .given(stored(receipt))
      .when(back)
      .then({ ...rows, payments_taken_back: [{ ...row, cancelled_by: null }] });
    projectionSpec(invoices)
      .given(stored(receipt), back)
      .when(stored(examples.ReceiptCancelled))
      .then({
        invoices: [topUp, cancellation],
        invoice_lines: [topUpLine],
        payments_taken_back: [{ ...row, cancelled_by: "2026-7-C000001" }],
      });
  });

  const others555: readonly AccountSubscriptionEvent[] = [
    { ...registered, data: { ...registered.data, domainId: 4, invoiceId: 555 } },
    { ...renewed, data: { ...renewed.data, domainId: 4, invoiceId: 555 } },
    serverExamples.provisioned({ serverId: 6, invoiceId: 555 }),
    serverExamples.renewed({ serverId: 6, invoiceId: 555 }),
  ];
  test.each(others555)("are not marked as delivered by another payment: $type", (event) => {
    projectionSpec(invoices)
      .given(stored(receipt), stored(issued))
      .when(stored(event))
      .then({ invoices: [topUp, invoice], invoice_lines: [topUpLine, line] });
  });
});
