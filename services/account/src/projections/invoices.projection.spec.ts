import { projectionSpec, type ExpectedRows } from "@hostledger/projections/testing";
import { describe, it, test } from "vitest";

import type { AccountLogEvent } from "./account-log.ts";
import { examples, receipt, stored } from "./account-log.fixture.ts";
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
  vat_rate_percent: 19,
  duration: 1,
  delivered: 0,
  domain_id: 3,
  corrects_invoice_id: null,
  created_at: "2026-03-01T10:00:00.000000Z",
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
  vat_rate_percent: 0,
  duration: 0,
  delivered: 1,
  domain_id: null,
};

describe("invoices", () => {
  const undelivered: Rows = { invoices: [invoice] };

  /** What every fact does to an invoice whose domain is not delivered yet. A fact without its line does not compile. */
  const next: Readonly<Record<Exclude<AccountLogEvent["type"], "InvoiceIssued">, Rows>> = {
    AccountOpened: undelivered,
    VatExemptionChanged: undelivered,
    BalanceCredited: undelivered,
    BalanceCharged: undelivered,
    RegistrationRefunded: undelivered,
    CorrectionIssued: { invoices: [invoice, correction] },
    ApiKeyIssued: undelivered,
    ApiKeyRevoked: undelivered,
    RegistrationReserved: undelivered,
    RegistrationReleased: undelivered,
    RegistrationHeld: undelivered,
    DomainRegistered: { invoices: [{ ...invoice, delivered: 1 }] },
    ZoneCreated: undelivered,
    ZoneCreationFailed: undelivered,
    NameserversChanged: undelivered,
    NameserversRefused: undelivered,
  };
  const { InvoiceIssued: issued, ...others } = examples;

  test.each(Object.values(others))("$type", (event) => {
    projectionSpec(invoices).given(stored(issued)).when(stored(event)).then(next[event.type]);
  });

  test("InvoiceIssued", () => {
    projectionSpec(invoices).when(stored(issued)).then(undelivered);
  });

  it("show the receipt of a payment as delivered, and no VAT on it", () => {
    projectionSpec(invoices)
      .when(stored(receipt))
      .then({ invoices: [topUp] });
  });

  it("of one account are not delivered by the domain of another", () => {
    const { domainId: _, ...data } = examples.DomainRegistered.data;
    projectionSpec(invoices)
      .given(stored(receipt), stored(issued))
      .when({
        event: { type: "DomainRegistered", data: { ...data, domainId: 4, invoiceId: 555 } },
        stream: "domain-other.com",
      })
      .then({ invoices: [topUp, invoice] });
  });
});
