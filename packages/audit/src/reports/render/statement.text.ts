import type { Statement } from "../statement.ts";
import { columns, groupedEuros, plainLine } from "./text.ts";

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
