import { execFileSync } from "node:child_process";

import { epcQr, topUpTransferReference } from "@hostledger/core";
import jsQR from "jsqr";
import { describe, expect, it } from "vitest";

import type { PaymentRequest } from "./payment-request-layout.ts";
import { renderPaymentRequest } from "./render-pdf.ts";

/** Reads the PDF with pdftotext and pdftoppm of Debian's poppler-utils, which tools/setup installs, and the QR code with jsQR. */

const bank = { name: "Müller & Söhne Hosting GmbH", iban: "DE89370400440532013000", bic: "COBADEFFXXX" };
const reference = topUpTransferReference(7, 12);
const amountCents = 123_450n;
const request: PaymentRequest = {
  accountId: 7,
  topUpId: 12,
  amountCents,
  requestedAt: "2026-03-01T10:00:00.000000Z",
  language: "de",
  ...bank,
  reference,
  epcQr: epcQr({ ...bank, reference, amountCents }),
};

function linesOf(pdf: Uint8Array): readonly string[] {
  const text = execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, encoding: "utf8" });
  return text.split("\n").map((line) => line.trim().replaceAll(/\s+/g, " "));
}

/** Draws the page as a person sees it, and reads its QR code. */
function qrOf(pdf: Uint8Array): string | undefined {
  // A portable grey map: `P5`, width and height, the highest value, then a byte for each dot.
  const map = execFileSync("pdftoppm", ["-gray", "-r", "150", "-"], { input: pdf, maxBuffer: 32_000_000 });
  const [head = "", width, height] = /^P5\s(\d+)\s(\d+)\s255\s/u.exec(map.toString("latin1", 0, 64)) ?? [];
  const grey = map.subarray(head.length);
  const colours = new Uint8ClampedArray(grey.length * 4);
  for (const [index, value] of grey.entries()) colours.set([value, value, value, 255], index * 4);
  const read = jsQR.default(colours, Number(width), Number(height));
  return read === null ? undefined : Buffer.from(read.binaryData).toString("utf8");
}

describe("a payment request as a PDF", () => {
  it("has a QR code from which banking apps fill in the transfer", async () => {
    expect(qrOf(await renderPaymentRequest(request))).toBe(request.epcQr);
  });

  it("has a QR code also of the longest content", async () => {
    const name = "Ü".repeat(70);
    const longest = { ...bank, name, reference: "RF18ABCDEFGHIJKLMNOPQRSTU", amountCents: 99_999_999_999n };
    const content = epcQr(longest);
    expect(qrOf(await renderPaymentRequest({ ...request, name, epcQr: content }))).toBe(content);
  });

  it("says in German and English how to pay", async () => {
    const german = linesOf(await renderPaymentRequest(request));
    expect(german).toEqual(
      expect.arrayContaining([
        "Zahlungsaufforderung",
        "Datum 01.03.2026",
        "Empfänger Müller & Söhne Hosting GmbH",
        "IBAN DE89 3704 0044 0532 0130 00",
        "BIC COBADEFFXXX",
        "Betrag 1234,50 EUR",
        `Verwendungszweck ${reference.replaceAll(/(.{4})(?=.)/gu, "$1 ")}`,
      ]),
    );
    const english = linesOf(await renderPaymentRequest({ ...request, language: "en", bic: "" }));
    expect(english).toEqual(expect.arrayContaining(["Date 2026-03-01", "Amount 1234.50 EUR"]));
    expect(english.some((line) => line.startsWith("BIC"))).toBe(false);
  });

  it("is the same bytes for the same request", async () => {
    const first = await renderPaymentRequest(request);
    expect(Buffer.compare(first, await renderPaymentRequest(structuredClone(request)))).toBe(0);
  });
});
