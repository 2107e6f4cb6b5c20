import { execFileSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { placeholderSeller } from "../frozen-terms.ts";
import {
  business,
  buyer,
  cancellation,
  correction,
  exemptInvoice,
  exemptServerInvoice,
  freeInvoice,
  invoice,
  nasty,
  receipt,
  seller,
  serverInvoice,
  takenBackReceipt,
} from "../document.fixture.ts";
import { renderDocument } from "./render-pdf.ts";

/** Reads the PDF with pdftotext of Debian's poppler-utils, which tools/setup installs. */

const pdfOf = async (document: FrozenDocument, by: Seller = seller, to: Buyer = buyer): Promise<Uint8Array> =>
  (await renderDocument({ document, seller: by, buyer: to })).pdf;

async function read(
  document: FrozenDocument,
  by: Seller = seller,
  to: Buyer = buyer,
): Promise<readonly string[]> {
  const text = execFileSync("pdftotext", ["-layout", "-", "-"], {
    input: await pdfOf(document, by, to),
    encoding: "utf8",
  });
  return text
    .split("\n")
    .map((line) => line.trim().replaceAll(/\s+/g, " "))
    .filter((line) => line !== "");
}

describe("a PDF", () => {
  it("shows an invoice with the frozen figures, and both parties", async () => {
    const lines = await read(invoice);
    expect(lines).toEqual(
      expect.arrayContaining([
        "Ada Lovelace Beispiel & Söhne GmbH",
        "Customer number 7 Beispielweg 1",
        "10115 Berlin",
        "VAT ID DE123456788",
        "Invoice (Rechnung)",
        "Number 2026-7-000042",
        "Date 2026-11-21",
        "Description Quantity Price (net, EUR) Amount (net, EUR)",
        "Registration of example.com, per year 2 10.00 20.00",
        "A second line 1 0.01 0.01",
        "Net 20.01 EUR",
        "VAT 19 % 3.80 EUR",
        "Total 23.81 EUR",
        "Paid from your prepaid balance. Nothing is due.",
        "2026-7-000042 · page 1 of 1",
      ]),
    );
    expect(lines.join("\n")).not.toContain("placeholder");
  });

  it("shows the buyer's known address and VAT id", async () => {
    const lines = await read(invoice, seller, business);
    expect(lines).toEqual(
      expect.arrayContaining([
        "Engines & Sons Ltd. Beispiel & Söhne GmbH",
        "Ada Lovelace Beispielweg 1",
        "Analytical Way 1 10115 Berlin",
        "EC1A 1BB London DE",
        "GB VAT ID DE123456788",
        "VAT ID GB123456789 billing@example.com",
        "Customer number 7",
      ]),
    );
  });

  it("shows the VAT that gross prices contain", async () => {
    expect(await read(serverInvoice)).toEqual(
      expect.arrayContaining([
        "Description Quantity Price (gross, EUR) Amount (gross, EUR)",
        "Renewal of a server Small, 3 months 1 28.47 28.47",
        "Net 23.92 EUR",
        "VAT contained, 19 % 4.55 EUR",
        "Total 28.47 EUR",
      ]),
    );
  });

  it.each([
    ["net", exemptInvoice, "20.01"],
    ["gross", exemptServerInvoice, "28.47"],
  ])("explains why an exempt account pays no VAT on %s prices", async (_, document, total) => {
    expect(await read(document)).toEqual(
      expect.arrayContaining([
        `Net ${total} EUR`,
        "VAT 0 % 0.00 EUR",
        `Total ${total} EUR`,
        "Exempt from VAT (§ 4 UStG).",
      ]),
    );
  });

  it("shows a correction with the invoice that it returns", async () => {
    expect(await read(correction)).toEqual(
      expect.arrayContaining([
        "Correction of an invoice (Rechnungskorrektur)",
        "Number 2026-7-C000001",
        "Corrects invoice 2026-7-000042 of 2026-11-21",
        "Reason The registrar refused",
        "Return of invoice 2026-7-000042 -1 20.01 -20.01",
        "Net -20.01 EUR",
        "VAT 19 % -3.80 EUR",
        "Total -23.81 EUR",
      ]),
    );
  });

  it("shows a receipt, and that it is no VAT invoice", async () => {
    const lines = await read(receipt);
    expect(lines).toEqual(
      expect.arrayContaining([
        "Payment receipt (Zahlungsbeleg)",
        "Payment reference bank-1",
        "Balance top-up 1 100.00 100.00",
        "Received 100.00 EUR",
        "This receipt is no VAT invoice: what the payment is for is invoiced when it is bought.",
      ]),
    );
    expect(lines.join("\n")).not.toMatch(/VAT 0 %|Exempt/);
  });

  it("shows that a payment was taken back, on its receipt and on the cancellation", async () => {
    const lines = await read(takenBackReceipt);
    expect(lines.join(" ")).toContain(
      "Not paid (nicht bezahlt): the payment was taken back on 2026-11-22. Document 2026-7-C000002 cancels this receipt.",
    );
    expect(lines.join(" ")).not.toContain("Thank you");
    expect(await read(cancellation)).toEqual(
      expect.arrayContaining([
        "Receipt cancellation (Zahlungsbeleg-Storno)",
        "Number 2026-7-C000002",
        "Cancels receipt 2026-7-T000001 of 2026-11-21",
        "Reason Returned by the bank",
        "Payment reference bank-1",
        "Return of payment 2026-7-T000001 -1 100.00 -100.00",
        "Returned -100.00 EUR",
        "This document is no VAT invoice.",
      ]),
    );
  });

  it("shows an invoice over nothing", async () => {
    expect(await read(freeInvoice)).toEqual(expect.arrayContaining(["A gift 1 0.00 0.00", "Total 0.00 EUR"]));
  });

  it("states that its seller is a placeholder", async () => {
    expect((await read(invoice, placeholderSeller)).join(" ")).toContain("The seller is a placeholder");
  });

  it("names the customer's number once the name is erased", async () => {
    const lines = await read(invoice, seller, { accountId: 7, name: "[erased]" });
    expect(lines.join("\n")).toContain("Customer 7");
    expect(lines.join("\n")).not.toContain("erased");
  });

  it("shows texts as texts, in Latin, Greek and Cyrillic letters", async () => {
    const name = `Łukasz Αθήνα Київ <b>x</b> & "y" {{z}}`;
    expect((await read(invoice, seller, { accountId: 7, name })).join("\n")).toContain(name);
    const line = { description: nasty, quantity: 1, unitCents: 1n, amountCents: 1n };
    const shown = (await read({ ...invoice, lines: [line] })).join(" ");
    expect(shown).toContain('</ram:Name><script>alert("1")</script>');
    // The direction control was removed.
    expect(shown).not.toContain("\u202E");
  });

  it("continues over pages, each with its number and the table's head", async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({
      description: `Line ${String(index)} ${"of many words ".repeat(20)}`,
      quantity: 1,
      unitCents: 1n,
      amountCents: 1n,
    }));
    const lines = await read({ ...invoice, lines: many });
    const pages = lines
      .join("\n")
      .split(/^2026-7-000042 · page \d+ of \d+$/mu)
      .slice(0, -1);
    expect(pages.length).toBeGreaterThan(3);
    // The sums may be alone on the last page.
    for (const page of pages.filter((text) => /^Line \d/mu.test(text)))
      expect(page.trim()).toMatch(/^(?:.*\n)*Description /u);
    expect(lines.filter((line) => /^Line \d+ /.test(line))).toHaveLength(100);
  });

  it("that cannot be rendered does not affect others", async () => {
    const broken = { ...invoice, issuedAt: "no time" };
    await expect(pdfOf(broken)).rejects.toThrow("a document could not be rendered");
    const several = [pdfOf(broken), pdfOf(invoice)];
    const results = await Promise.allSettled(several);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  it("is the same bytes each time, and others for another document", async () => {
    const first = await pdfOf(invoice);
    expect(Buffer.compare(first, await pdfOf(structuredClone(invoice)))).toBe(0);
    expect(Buffer.compare(first, await pdfOf({ ...invoice, number: "2026-7-000043" }))).not.toBe(0);
  });
});
