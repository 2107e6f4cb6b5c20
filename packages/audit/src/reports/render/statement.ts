import { formatEuros } from "@hostledger/core";

import type { Movement, Statement } from "../statement.ts";
import { columns, groupedEuros, plainLine } from "./text.ts";
import { csvRow, ownCell, textCell } from "./csv.ts";

export function statementText(statement: Statement): string {
  const { accountId, name, from, asOf, openingBalanceCents, closingBalanceCents, movements } = statement;
  const head = columns([
    ["account", `${String(accountId)}  ${plainLine(name)}`],
    ["from", from ?? "its opening"],
    ["as of", asOf],
  ]);
  const rows = [
    ["TIME", "DOCUMENT", "AMOUNT EUR", "BALANCE EUR", "WHAT FOR", "CAUSE", "BY", "REQUEST"],
    ["", "", "", groupedEuros(openingBalanceCents), "Opening balance", "", "", ""],
    ...movements.map((movement) => [
      movement.time,
      movement.documentNumber === "" ? "-" : movement.documentNumber,
      groupedEuros(movement.amountCents),
      groupedEuros(movement.balanceAfterCents),
      plainLine(movement.description),
      plainLine(movement.cause),
      plainLine(movement.actor),
      plainLine(movement.requestId ?? "-"),
    ]),
    ["", "", "", groupedEuros(closingBalanceCents), "Closing balance", "", "", ""],
  ];
  return `${head}\n${columns(rows, new Set([2, 3]))}`;
}

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

/** A movement as JSON; amounts are decimal text in euros. */
export type MovementDocument = Readonly<Record<string, string | number | null>>;

/** A statement as JSON; clients depend on its keys. */
export type StatementDocument = Readonly<
  Record<string, string | number | null | readonly MovementDocument[]>
>;

export function statementDocument(statement: Statement): StatementDocument {
  return {
    account_id: statement.accountId,
    name: statement.name,
    from: statement.from ?? null,
    as_of: statement.asOf,
    opening_balance: formatEuros(statement.openingBalanceCents),
    movements: statement.movements.map(movementDocument),
    closing_balance: formatEuros(statement.closingBalanceCents),
  };
}

function movementDocument(movement: Movement): MovementDocument {
  return {
    time: movement.time,
    type: movement.type,
    revision: Number(movement.revision),
    amount: formatEuros(movement.amountCents),
    balance_after: formatEuros(movement.balanceAfterCents),
    cause: movement.cause,
    document_number: movement.documentNumber === "" ? null : movement.documentNumber,
    document_id: movement.documentId === 0 ? null : movement.documentId,
    description: movement.description,
    actor: movement.actor,
    request_id: movement.requestId ?? null,
  };
}
