import { formatEuros } from "@hostledger/core";
import type { Statement } from "../statement.ts";
import { csvRow, ownCell, textCell } from "./csv.ts";

const heading = [
  "time",
  "type",
  "revision",
  "document_number",
  "document_id",
  "amount_eur",
  "balance_after_eur",
  "description",
  "cause",
  "actor",
  "request_id",
];

/** Writes a statement as CSV (RFC 4180): the opening balance, a row for each movement, the closing balance. */
export function statementCsv(statement: Statement): string {
  const { from, asOf, openingBalanceCents, closingBalanceCents, movements } = statement;
  return [
    csvRow(heading),
    balanceRow(from ?? "", "opening-balance", openingBalanceCents),
    ...movements.map((movement) =>
      csvRow([
        ownCell(movement.time),
        ownCell(movement.type),
        ownCell(movement.revision),
        textCell(movement.documentNumber),
        ownCell(movement.documentId === 0 ? "" : movement.documentId),
        ownCell(formatEuros(movement.amountCents)),
        ownCell(formatEuros(movement.balanceAfterCents)),
        textCell(movement.description),
        textCell(movement.cause),
        textCell(movement.actor),
        textCell(movement.requestId ?? ""),
      ]),
    ),
    balanceRow(asOf, "closing-balance", closingBalanceCents),
  ].join("");
}

function balanceRow(time: string, type: string, balanceCents: bigint): string {
  return csvRow([time, type, "", "", "", "", formatEuros(balanceCents), "", "", "", ""].map(ownCell));
}
