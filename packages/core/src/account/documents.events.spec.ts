import { describe, expect, it } from "vitest";

import { charged, refunded } from "./account.fixture.ts";
import { accountCodec } from "./account.events.ts";

/** What was issued before servers were sold: the shapes of version 1. */

const subjectless = {
  netCents: "1000",
  vatRatePercent: 19,
  vatCents: "190",
  grossCents: "1190",
  duration: 1,
};
const issuedAt = "2026-03-01T10:00:00.000000Z";

describe("an invoice of version 1", () => {
  it("reads as one of net prices, for no server", () => {
    const [, invoice] = charged();
    const stored = {
      invoiceId: 101,
      number: "2026-7-000001",
      action: "purchase",
      cause: "registration-1",
      lines: [
        {
          description: "Registration of example.com, per year",
          quantity: 1,
          unitNetCents: "1000",
          netCents: "1000",
        },
      ],
      ...subjectless,
      domainId: 3,
      issuedAt,
    };
    expect(accountCodec.decode("InvoiceIssued.v1", JSON.stringify(stored))).toEqual(invoice);
    expect(accountCodec.storedType("InvoiceIssued")).toBe("InvoiceIssued.v2");
  });
});

describe("a correction of version 1", () => {
  it("reads as one for no server", () => {
    const [, correction] = refunded();
    const stored = {
      correctionId: 102,
      number: "2026-7-C000001",
      correctsInvoiceId: 101,
      correctsNumber: "2026-7-000001",
      chargeId: "registration-1",
      ...subjectless,
      netCents: "-1000",
      vatCents: "-190",
      grossCents: "-1190",
      domainId: 3,
      reason: "The registrar refused",
      issuedAt,
    };
    expect(accountCodec.decode("CorrectionIssued.v1", JSON.stringify(stored))).toEqual(correction);
    expect(accountCodec.storedType("CorrectionIssued")).toBe("CorrectionIssued.v2");
  });
});
