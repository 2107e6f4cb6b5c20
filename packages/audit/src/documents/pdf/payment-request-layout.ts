import type { DocumentLanguage } from "@hostledger/core";
import { formatEuros } from "@hostledger/core/money";

import { textsIn } from "../languages/languages.ts";
import { dayOf } from "../text.ts";
import type { Lettering } from "./lettering.ts";
import type { PageLayout } from "./make-pdf.ts";

/** A request to transfer money for a top-up. */
export interface PaymentRequest {
  readonly accountId: number;
  readonly topUpId: number;
  /** Cents (EUR). */
  readonly amountCents: bigint;
  /** ISO 8601 UTC. Also dates the file. */
  readonly requestedAt: string;
  readonly language: DocumentLanguage;
  /** Holder of the account to which the money is transferred. */
  readonly name: string;
  readonly iban: string;
  /** Empty if unknown. */
  readonly bic: string;
  /** Creditor reference (ISO 11649). */
  readonly reference: string;
  /** Content of the QR code (EPC069-12). */
  readonly epcQr: string;
}

/** Side of the QR code in points, at most: 6 cm. */
const qrSide = 170;

/** Lays a payment request out on an A4 page, with its QR code. Texts are inserted as plain text. */
export function paymentRequestLayout(request: PaymentRequest, letters: Lettering): PageLayout {
  const { accountId, topUpId, amountCents, requestedAt, language, name, iban, bic, reference } = request;
  const texts = textsIn(language);
  const { title, ...labels } = texts.paymentRequest;
  const at = new Date(requestedAt);
  const rows: readonly (readonly [string, string])[] = [
    [texts.number, String(topUpId)],
    [texts.date, texts.day(dayOf(requestedAt))],
    [texts.customerNumber, String(accountId)],
    [labels.payee, name],
    ["IBAN", inFours(iban)],
    ["BIC", bic],
    [labels.amount, `${texts.amount(formatEuros(amountCents))} EUR`],
    [labels.reference, inFours(reference)],
  ];
  return {
    pageSize: "A4",
    pageMargins: [50, 50, 50, 60],
    language,
    defaultStyle: { font: "NotoSans", fontSize: 10, lineHeight: 1.1 },
    info: { title: `${title} ${String(topUpId)}`, creationDate: at, modDate: at },
    content: [
      { text: letters.set(title), fontSize: 18, bold: true, margin: [0, 30, 0, 10] },
      {
        layout: "noBorders",
        table: {
          widths: [110, "*"],
          body: rows
            .filter(([, text]) => text !== "")
            .map((row) => row.map((text) => ({ text: letters.set(text) }))),
        },
        margin: [0, 0, 0, 20],
      },
      // EPC069-12 asks for error correction level M.
      { qr: request.epcQr, eccLevel: "M", fit: qrSide, margin: [0, 0, 0, 20] },
      { text: letters.set(labels.howToPay) },
      { text: letters.set(labels.isNoInvoice), margin: [0, 10, 0, 0] },
    ],
  };
}

/** Writes an IBAN or a reference in groups of four, as people read it. */
function inFours(text: string): string {
  return text.replaceAll(/(.{4})(?=.)/gu, "$1 ");
}
