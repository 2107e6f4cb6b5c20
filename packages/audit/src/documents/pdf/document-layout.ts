import { formatEuros } from "@hostledger/core/money";
import type { Content, TableCell } from "pdfmake";

import {
  addressOf,
  contactOf,
  nameOf,
  shownLines,
  supplyOf,
  taxIdOf,
  type DocumentInput,
  type FrozenDocument,
} from "../document.ts";
import type { DocumentTexts } from "../languages/document-texts.ts";
import { textsIn } from "../languages/languages.ts";
import { dayOf, ratePercent } from "../text.ts";
import { codeOf, type Lettering } from "./lettering.ts";
import type { PageLayout } from "./make-pdf.ts";

const grey = "#666666";

interface Page extends DocumentInput {
  readonly texts: DocumentTexts;
  readonly letters: Lettering;
}

/** Layouts by version of the template. A later version is a line here; earlier ones stay, because documents name them. */
const templates: Readonly<Record<number, (page: Page) => PageLayout>> = { 1: firstTemplate };

/**
 * Lays a document out on A4 pages, in its language. Texts are inserted as plain text, amounts exactly as in the event.
 * @throws Error for an unknown version of the template.
 */
export function documentLayout(input: DocumentInput, letters: Lettering): PageLayout {
  const { number, language, templateVersion } = input.document;
  const template = templates[templateVersion];
  if (template === undefined)
    throw new Error(
      `the document ${number} has template version ${String(templateVersion)}, which this program does not know`,
    );
  return template({ ...input, texts: textsIn(language), letters });
}

function firstTemplate(page: Page): PageLayout {
  const { document, seller, texts, letters } = page;
  const { kind, number, issuedAt, language, takenBack } = document;
  const at = new Date(issuedAt);
  const content = [
    ...(seller.isPlaceholder ? [notice(texts.placeholderNotice, letters)] : []),
    ...(takenBack === undefined
      ? []
      : [notice(texts.notPaid(dayOf(takenBack.at), takenBack.cancelledBy), letters)]),
    parties(page),
    { text: letters.set(texts.titles[kind]), fontSize: 18, bold: true, margin: [0, 30, 0, 10] },
    events(page),
    linesTable(page),
    sums(page),
    ...remarks(page).map((text) => ({ text: letters.set(text) })),
  ] satisfies Content[];
  const missing = letters.missing();
  return {
    pageSize: "A4",
    pageMargins: [50, 50, 50, 60],
    // The archive format that may embed files (ISO 19005-3).
    version: "1.7",
    subset: "PDF/A-3b",
    language,
    defaultStyle: { font: "NotoSans", fontSize: 10, lineHeight: 1.1 },
    // The time of issue, not of rendering, so that equal documents have equal files. The metadata take the title as it is.
    info: { title: `${texts.titles[kind]} ${number}`, creationDate: at, modDate: at },
    content: [
      ...content,
      ...(missing.length === 0
        ? []
        : [{ text: texts.missing(missing.map(codeOf).join(", ")), fontSize: 8, margin: above }]),
    ],
    footer: (current, pages) => ({
      text: letters.set(`${number} · ${texts.page(current, pages)}`),
      alignment: "center",
      fontSize: 8,
      color: grey,
      margin: [0, 20, 0, 0],
    }),
  };
}

const above: [number, number, number, number] = [0, 10, 0, 0];

function notice(text: string, letters: Lettering): Content {
  return { text: letters.set(text), bold: true, color: "#b00020", margin: [0, 0, 0, 15] };
}

function parties({ document: { tax }, seller, buyer, texts, letters }: Page): Content {
  const { name, street, postalCode, city, country, email = "" } = seller;
  const taxId = taxIdOf(seller, tax);
  const address = addressOf(buyer);
  const isOutside = tax?.category === "O";
  const from = [name, street, `${postalCode} ${city}`, country, `${texts[taxId.kind]} ${taxId.text}`, email];
  const to = [
    nameOf(buyer),
    contactOf(buyer),
    address.street,
    `${address.postalCode} ${address.city}`.trim(),
    address.country,
    // A supply outside the scope of VAT names no VAT ids (BR-O-02).
    address.vatId === "" || isOutside ? "" : `${texts.vatId} ${address.vatId}`,
    `${texts.customerNumber} ${String(buyer.accountId)}`,
  ];
  const column = (heading: string, lines: readonly string[]): Content[] => [
    { text: letters.set(heading), color: grey, fontSize: 8 },
    ...lines.filter((line) => line !== "").map((line) => ({ text: letters.set(line) })),
  ];
  return {
    columns: [
      { stack: column(texts.to, to), width: "*" },
      { stack: column(texts.from, from), width: "*" },
    ],
    columnGap: 20,
  };
}

function events({ document, buyer, texts, letters }: Page): Content {
  const { kind, number, businessDate, cause, corrects } = document;
  const isPayment = kind === "receipt" || kind === "cancellation";
  const { from, to } = supplyOf(document);
  const { leitwegId } = addressOf(buyer);
  const rows: (readonly [string, string])[] = [
    [texts.number, number],
    [texts.date, texts.day(businessDate)],
    ...(isPayment ? [] : [[texts.supplied, texts.period(from, to)] as const]),
    [texts.customerNumber, String(buyer.accountId)],
    ...(leitwegId === "" ? [] : [["Leitweg-ID", leitwegId] as const]),
  ];
  if (corrects !== undefined) {
    rows.push([
      kind === "cancellation" ? texts.cancelsReceipt : texts.correctsInvoice,
      texts.numberOf(corrects.number, texts.day(corrects.businessDate)),
    ]);
    rows.push([texts.reason, corrects.reason]);
  }
  if (isPayment) rows.push([texts.paymentReference, cause]);
  return {
    layout: "noBorders",
    table: { widths: [110, "*"], body: rows.map((row) => row.map((text) => ({ text: letters.set(text) }))) },
    margin: [0, 0, 0, 15],
  };
}

function linesTable({ document, texts, letters }: Page): Content {
  const { lines, areGross } = shownLines(document, texts);
  const prices = areGross ? "gross" : "net";
  const right = (text: string): TableCell => ({
    text: letters.set(text),
    alignment: "right",
    noWrap: true,
  });
  const amount = (cents: bigint): string => texts.amount(formatEuros(cents));
  const head = [texts.description, texts.quantity, texts.price[prices], texts.lineAmount[prices]];
  return {
    layout: "lightHorizontalLines",
    table: {
      headerRows: 1,
      widths: ["*", "auto", "auto", "auto"],
      body: [
        head.map((text, index) => ({
          text: letters.set(text),
          bold: true,
          noWrap: true,
          alignment: index === 0 ? "left" : "right",
        })),
        ...lines.map(({ description, quantity, unitCents, amountCents }): TableCell[] => [
          { text: letters.set(description) },
          right(String(quantity)),
          right(amount(unitCents)),
          right(amount(amountCents)),
        ]),
      ],
    },
  };
}

function sums({ document, texts, letters, seller }: Page): Content {
  const { kind, netCents, vatCents, grossCents } = document;
  const rows: (readonly [string, bigint])[] =
    kind === "receipt" || kind === "cancellation"
      ? [[kind === "receipt" ? texts.received : texts.returned, grossCents]]
      : [
          [texts.net, netCents],
          ...vatRow(document, seller.country, texts).map((name) => [name, vatCents] as const),
          [texts.total, grossCents],
        ];
  return {
    layout: "noBorders",
    margin: [0, 10, 0, 15],
    table: {
      widths: ["*", "auto", 80],
      body: rows.map(([name, cents], index): TableCell[] => {
        const isTotal = index === rows.length - 1;
        return [
          "",
          { text: letters.set(name), bold: isTotal },
          {
            text: letters.set(`${texts.amount(formatEuros(cents))} EUR`),
            bold: isTotal,
            alignment: "right",
          },
        ];
      }),
    },
  };
}

/** Names the VAT, with its country if that is not the seller's. Where the law has no VAT, no line names a rate. */
function vatRow(document: FrozenDocument, home: string, texts: DocumentTexts): readonly string[] {
  const { tax } = document;
  if (tax === null || (tax.category !== "S" && tax.reason !== "exempted")) return [];
  const abroad = tax.country === home ? "" : ` (${tax.country})`;
  const rate = `${texts.amount(ratePercent(tax.rateBasisPoints))} %${abroad}`;
  return [
    shownLines(document, texts).areGross && tax.category === "S" ? texts.vatContained(rate) : texts.vat(rate),
  ];
}

function remarks({ document: { kind, tax, corrects, takenBack }, texts }: Page): readonly string[] {
  if (kind === "cancellation") return [texts.takenBack, texts.cancellationIsNoInvoice];
  if (kind === "receipt")
    return [...(takenBack === undefined ? [texts.thanks] : []), texts.receiptIsNoInvoice];
  return [
    corrects === undefined ? texts.paid : texts.paidBack,
    ...(tax === null || tax.category === "S" ? [] : [tax.legalText || texts.exempt]),
  ];
}
