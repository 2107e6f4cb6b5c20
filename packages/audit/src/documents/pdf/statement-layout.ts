import { groupedEuros, plainLine, type Movement, type Statement } from "../../reports/index.ts";
import type { Content, TableCell } from "pdfmake";

import type { Lettering } from "./lettering.ts";
import type { PageLayout } from "./make-pdf.ts";

/** Lays a statement out on A4 pages. Texts are inserted as plain text. */
export function statementLayout(statement: Statement, letters: Lettering): PageLayout {
  const { accountId, name, from, asOf } = statement;
  const title = `Account statement ${String(accountId)}`;
  const at = new Date(asOf);
  const head: readonly (readonly [string, string])[] = [
    ["Account", String(accountId)],
    ["Name", plainLine(name)],
    ["From", from ?? "opening of the account"],
    ["As of", asOf],
  ];
  return {
    pageSize: "A4",
    pageMargins: [40, 40, 40, 50],
    defaultStyle: { font: "NotoSans", fontSize: 8, lineHeight: 1.05 },
    // The time of the statement, not of rendering.
    info: { title, creationDate: at, modDate: at },
    content: [
      { text: title, fontSize: 16, bold: true, margin: [0, 0, 0, 10] },
      {
        layout: "noBorders",
        table: {
          widths: [60, "*"],
          body: head.map((row) => row.map((text) => ({ text: letters.set(text) }))),
        },
        margin: [0, 0, 0, 12],
      },
      movementTable(statement, letters),
    ],
    footer: (page, pages) => ({
      text: `${title} · page ${String(page)} of ${String(pages)}`,
      alignment: "center",
      margin: [0, 15, 0, 0],
    }),
  };
}

function movementTable(
  { openingBalanceCents, closingBalanceCents, movements }: Statement,
  letters: Lettering,
): Content {
  const right = (text: string): TableCell => ({ text, alignment: "right" });
  const balance = (text: string, cents: bigint): TableCell[] => [
    { text, bold: true, colSpan: 4 },
    "",
    "",
    "",
    { text: groupedEuros(cents), bold: true, alignment: "right" },
  ];
  const heading = ["Time (UTC)", "Document", "What for", "Amount EUR", "Balance EUR"];
  return {
    layout: "lightHorizontalLines",
    table: {
      headerRows: 1,
      dontBreakRows: true,
      widths: [80, 75, "*", 65, 65],
      body: [
        heading.map((text, index) => ({ text, bold: true, alignment: index < 3 ? "left" : "right" })),
        balance("Opening balance", openingBalanceCents),
        ...movements.map((movement) => [
          movement.time.slice(0, 19).replace("T", " "),
          plainLine(movement.documentNumber),
          whatFor(movement, letters),
          right(groupedEuros(movement.amountCents)),
          right(groupedEuros(movement.balanceAfterCents)),
        ]),
        balance("Closing balance", closingBalanceCents),
      ],
    },
  };
}

function whatFor({ description, cause, actor, requestId }: Movement, letters: Lettering): TableCell {
  const origin = [cause, actor, ...(requestId === undefined ? [] : [requestId])].join(" · ");
  return {
    stack: [
      { text: letters.set(plainLine(description)) },
      { text: letters.set(plainLine(origin)), fontSize: 6.5, color: "#666666" },
    ],
  };
}
