import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { DocumentInput } from "../document.ts";
import {
  buyer,
  dutchCompany,
  invoice,
  outsideEu,
  publicBuyer,
  receipt,
  reverseCharge,
  seller,
  serverInvoice,
  smallBusiness,
  standardRate,
  swissCompany,
} from "../document.fixture.ts";
import { renderDocument } from "./render-pdf.ts";

/** Reads PDFs back with pdftotext, and their embedded files with pdfdetach (Debian's poppler-utils, by tools/setup). */

async function read(input: DocumentInput): Promise<readonly string[]> {
  const { pdf } = await renderDocument(input);
  return execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().replaceAll(/\s+/g, " "))
    .filter((line) => line !== "");
}

function embeddedIn(pdf: Uint8Array): { readonly list: string; readonly text: string } {
  const folder = mkdtempSync(join(tmpdir(), "hostledger-pdf-"));
  try {
    const file = join(folder, "document.pdf");
    writeFileSync(file, pdf);
    const list = execFileSync("pdfdetach", ["-list", file], { encoding: "utf8" });
    if (!list.startsWith("1 ")) return { list, text: "" };
    execFileSync("pdfdetach", ["-save", "1", "-o", join(folder, "embedded"), file]);
    return { list, text: readFileSync(join(folder, "embedded"), "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the PDF of a document", () => {
  it("is in German for a German customer, with the period of supply", async () => {
    const document = {
      ...serverInvoice,
      language: "de",
      supply: { from: "2026-11-21", to: "2027-02-20" },
    } as const;
    expect(await read({ document, seller, buyer })).toEqual(
      expect.arrayContaining([
        "USt-IdNr. DE123456788",
        "Rechnung",
        "Nummer 2026-7-000043",
        "Datum 21.11.2026",
        "Leistungszeitraum 21.11.2026 bis 20.02.2027",
        "Beschreibung Menge Preis (brutto, EUR) Betrag (brutto, EUR)",
        "Netto 23,92 EUR",
        "Enthaltene USt, 19 % 4,55 EUR",
        "Gesamt 28,47 EUR",
        "Aus Ihrem Guthaben bezahlt. Es ist nichts mehr zu zahlen.",
        "2026-7-000043 · Seite 1 von 1",
      ]),
    );
  });

  it("names reverse charge in both languages, both VAT ids, and no VAT", async () => {
    const lines = await read({ document: reverseCharge, seller, buyer: dutchCompany });
    expect(lines.join("\n")).toContain("VAT ID NL004495445B01");
    expect(lines.join("\n")).toContain("VAT ID DE123456788");
    expect(lines).toEqual(
      expect.arrayContaining([
        "Description Quantity Price (net, EUR) Amount (net, EUR)",
        "Renewal of a server Small, 3 months 1 23.92 23.92",
        "Net 23.92 EUR",
        "Total 23.92 EUR",
        "Reverse charge (Steuerschuldnerschaft des Leistungsempfängers)",
      ]),
    );
    expect(lines.join("\n")).not.toMatch(/VAT (?:contained|\d)/);
  });

  it("names the seller's tax number and no VAT id outside the Union", async () => {
    const text = (await read({ document: outsideEu, seller, buyer: swissCompany })).join("\n");
    expect(text).toContain("Tax number 29/815/08150");
    expect(text).toContain("Supply outside the scope of VAT");
    expect(text).not.toMatch(/VAT ID|DE123456788|CHE116281710/);
  });

  it("names the tax number of a small business and its rule", async () => {
    const document = { ...smallBusiness, language: "de" } as const;
    const text = (await read({ document, seller: { ...seller, vatId: "" }, buyer })).join("\n");
    expect(text).toContain("Steuernummer 29/815/08150");
    expect(text).toContain("Kein Ausweis von Umsatzsteuer, da Kleinunternehmer nach §19 UStG");
    expect(text).not.toContain("USt ");
  });

  it.each([
    ["FI", 2_550, "VAT contained, 25.5 % (FI)", "Enthaltene USt, 25,5 % (FI)"],
    ["CH", 810, "VAT contained, 8.1 % (CH)", "Enthaltene USt, 8,1 % (CH)"],
  ] as const)("shows the rate of %s in basis points", async (country, rateBasisPoints, english, german) => {
    const tax = { ...standardRate, country, rateBasisPoints };
    for (const [language, expected] of [
      ["en", english],
      ["de", german],
    ] as const) {
      const lines = await read({ document: { ...serverInvoice, tax, language }, seller, buyer });
      expect(lines.join("\n")).toContain(expected);
    }
  });

  it("names the Leitweg-ID of a public buyer, and embeds an XRechnung", async () => {
    const input = { document: { ...invoice, language: "de" }, seller, buyer: publicBuyer } as const;
    expect(await read(input)).toContain("Leitweg-ID 991-03730-19");
    const { pdf, xml, profile } = await renderDocument(input);
    expect(profile).toBe("xrechnung");
    expect(embeddedIn(pdf)).toEqual({
      list: expect.stringContaining("xrechnung.xml"),
      text: Buffer.from(xml ?? []).toString(),
    });
  });

  it("embeds the electronic invoice of an invoice, and nothing in a receipt", async () => {
    const { pdf, xml, profile } = await renderDocument({ document: invoice, seller, buyer });
    expect(profile).toBe("en16931");
    expect(embeddedIn(pdf)).toEqual({
      list: expect.stringContaining("factur-x.xml"),
      text: Buffer.from(xml ?? []).toString(),
    });
    const none = await renderDocument({ document: receipt, seller, buyer });
    expect(none).not.toHaveProperty("xml");
    expect(embeddedIn(none.pdf).list).toMatch(/^0 /u);
  });

  it("reports and shows characters that its fonts lack; the XML has them", async () => {
    const input = { document: invoice, seller, buyer: { accountId: 7, name: "Ada 😀 山田 김" } };
    const { pdf, xml, missingCharacters } = await renderDocument(input);
    expect(missingCharacters).toEqual(["😀"]);
    expect(Buffer.from(xml ?? []).toString()).toContain("<ram:Name>Ada 😀 山田 김</ram:Name>");
    const text = execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, encoding: "utf8" });
    expect(text).toContain("Ada \uFFFD 山田 김");
    expect(text).toContain("\uFFFD stands for characters that the fonts of this file lack: U+1F600.");
  });

  it("is refused for an unknown version of the template", async () => {
    const document = { ...invoice, templateVersion: 2 };
    await expect(renderDocument({ document, seller, buyer })).rejects.toThrow(
      "the document 2026-7-000042 has template version 2, which this program does not know",
    );
  });

  it("has equal bytes for equal inputs with CJK letters", async () => {
    const input = { document: invoice, seller, buyer: { accountId: 7, name: "株式会社 한국" } };
    const [first, second] = [await renderDocument(input), await renderDocument(structuredClone(input))];
    expect(Buffer.compare(first.pdf, second.pdf)).toBe(0);
  });
});
