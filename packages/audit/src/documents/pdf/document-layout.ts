import { formatEuros } from "@hostledger/core/money";
import type { Content, TableCell } from "pdfmake";

import {
  addressOf,
  contactOf,
  nameOf,
  placeholderNotice,
  type Buyer,
  type DocumentKind,
  type FrozenDocument,
  type Seller,
  type TakenBack,
} from "../document.ts";
import { dayOf, plain } from "../text.ts";
import type { PageLayout } from "./make-pdf.ts";

/** Titles in English and in German, which German tax law uses. */
const titles: Readonly<Record<DocumentKind, string>> = {
  invoice: "Invoice (Rechnung)",
  correction: "Correction of an invoice (Rechnungskorrektur)",
  receipt: "Payment receipt (Zahlungsbeleg)",
  cancellation: "Receipt cancellation (Zahlungsbeleg-Storno)",
};

const grey = "#666666";

/** Lays a document out on A4 pages. Texts are inserted as plain text, amounts exactly as in the event. */
export function documentLayout(document: FrozenDocument, seller: Seller, buyer: Buyer): PageLayout {
  const { kind, number, issuedAt } = document;
  const title = `${titles[kind]} ${number}`;
  const at = new Date(issuedAt);
  return {
    pageSize: "A4",
    pageMargins: [50, 50, 50, 60],
    defaultStyle: { font: "Roboto", fontSize: 10, lineHeight: 1.2 },
    // The time of issue, not of rendering, so that equal documents have equal files.
    info: { title, author: plain(seller.name), creationDate: at, modDate: at },
    content: [
      ...(seller.isPlaceholder ? [notice(placeholderNotice)] : []),
      ...(document.takenBack === undefined ? [] : [notice(takenBackNotice(document.takenBack))]),
      parties(seller, buyer),
      { text: titles[kind], fontSize: 18, bold: true, margin: [0, 30, 0, 10] },
      facts(document, buyer),
      linesTable(document),
      sums(document),
      ...remarks(document, seller),
    ],
    footer: (page, pages) => ({
      text: `${number} · page ${String(page)} of ${String(pages)}`,
      alignment: "center",
      fontSize: 8,
      color: grey,
      margin: [0, 20, 0, 0],
    }),
  };
}

function takenBackNotice({ at, cancelledBy }: TakenBack): string {
  const by = cancelledBy === undefined ? "" : ` Document ${plain(cancelledBy)} cancels this receipt.`;
  return `Not paid (nicht bezahlt): the payment was taken back on ${dayOf(at)}.${by}`;
}

function notice(text: string): Content {
  return { text, bold: true, color: "#b00020", margin: [0, 0, 0, 15] };
}

function parties(seller: Seller, buyer: Buyer): Content {
  const { name, street, postalCode, city, country, vatId, email } = seller;
  const from = [
    name,
    street,
    `${postalCode} ${city}`,
    country,
    `VAT ID ${vatId}`,
    ...(email === undefined ? [] : [email]),
  ];
  const address = addressOf(buyer);
  const to = [
    nameOf(buyer),
    contactOf(buyer),
    address.street,
    `${address.postalCode} ${address.city}`.trim(),
    address.country,
    address.vatId === "" ? "" : `VAT ID ${address.vatId}`,
    `Customer number ${String(buyer.accountId)}`,
  ].filter((text) => text !== "");
  return {
    columns: [
      { stack: [{ text: "To", color: grey, fontSize: 8 }, ...to.map(plain)], width: "*" },
      { stack: [{ text: "From", color: grey, fontSize: 8 }, ...from.map(plain)], width: "*" },
    ],
    columnGap: 20,
  };
}

function facts({ kind, number, issuedAt, cause, corrects }: FrozenDocument, buyer: Buyer): Content {
  const rows: [string, string][] = [
    ["Number", number],
    ["Date", dayOf(issuedAt)],
    ["Customer number", String(buyer.accountId)],
  ];
  if (corrects !== undefined) {
    rows.push([
      kind === "cancellation" ? "Cancels receipt" : "Corrects invoice",
      `${corrects.number} of ${dayOf(corrects.issuedAt)}`,
    ]);
    rows.push(["Reason", corrects.reason]);
  }
  if (kind === "receipt" || kind === "cancellation") rows.push(["Payment reference", cause]);
  return {
    layout: "noBorders",
    table: { widths: [110, "*"], body: rows.map(([name, value]) => [name, plain(value)]) },
    margin: [0, 0, 0, 15],
  };
}

function linesTable({ kind, lines, corrects, pricesIncludeVat, netCents }: FrozenDocument): Content {
  const prices = pricesIncludeVat ? "gross" : "net";
  const right = (text: string): TableCell => ({ text, alignment: "right" });
  const head = ["Description", "Quantity", `Price (${prices}, EUR)`, `Amount (${prices}, EUR)`];
  const [first = "", ...others] = head;
  const rows: TableCell[][] =
    corrects === undefined
      ? lines.map(({ description, quantity, unitCents, amountCents }) => [
          plain(description),
          right(String(quantity)),
          right(formatEuros(unitCents)),
          right(formatEuros(amountCents)),
        ])
      : [
          [
            `Return of ${kind === "cancellation" ? "payment" : "invoice"} ${plain(corrects.number)}`,
            right("-1"),
            right(formatEuros(-netCents)),
            right(formatEuros(netCents)),
          ],
        ];
  return {
    layout: "lightHorizontalLines",
    table: {
      headerRows: 1,
      widths: ["*", "auto", "auto", "auto"],
      body: [
        [
          { text: first, bold: true },
          ...others.map((text) => ({ text, bold: true, alignment: "right" as const })),
        ],
        ...rows,
      ],
    },
  };
}

function sums({
  kind,
  pricesIncludeVat,
  netCents,
  vatRatePercent,
  vatCents,
  grossCents,
}: FrozenDocument): Content {
  const rate = `${String(vatRatePercent)} %`;
  const rows: [string, string][] =
    kind === "receipt" || kind === "cancellation"
      ? [[kind === "receipt" ? "Received" : "Returned", formatEuros(grossCents)]]
      : [
          ["Net", formatEuros(netCents)],
          [
            pricesIncludeVat && vatRatePercent > 0 ? `VAT contained, ${rate}` : `VAT ${rate}`,
            formatEuros(vatCents),
          ],
          ["Total", formatEuros(grossCents)],
        ];
  return {
    layout: "noBorders",
    margin: [0, 10, 0, 15],
    table: {
      widths: ["*", "auto", 80],
      body: rows.map(([name, amount], index): TableCell[] => {
        const isTotal = index === rows.length - 1;
        return [
          "",
          { text: name, bold: isTotal },
          { text: `${amount} EUR`, bold: isTotal, alignment: "right" },
        ];
      }),
    },
  };
}

function remarks(
  { kind, vatRatePercent, corrects, takenBack }: FrozenDocument,
  { exemptionReason }: Seller,
): Content[] {
  if (kind === "cancellation") {
    return [
      "The payment was taken back. Its amount was taken from your prepaid balance.",
      "This document is no VAT invoice.",
    ];
  }
  if (kind === "receipt") {
    return [
      ...(takenBack === undefined
        ? ["Thank you for your payment. It was added to your prepaid balance."]
        : []),
      "This receipt is no VAT invoice: what the payment is for is invoiced when it is bought.",
    ];
  }
  return [
    corrects === undefined
      ? "Paid from your prepaid balance. Nothing is due."
      : "The amount was returned to your prepaid balance. Nothing is due.",
    ...(vatRatePercent === 0 ? [plain(exemptionReason)] : []),
  ];
}
