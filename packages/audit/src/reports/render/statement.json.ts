import { formatEuros } from "@hostledger/core";
import type { Movement, Statement } from "../statement.ts";

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
