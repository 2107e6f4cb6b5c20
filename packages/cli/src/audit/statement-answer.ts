import type { audit } from "@hostledger/protocol";
import type { Statement } from "@hostledger/reports";
import { jsonInteger } from "../output/json.ts";

/** A statement as reports render it. */
export function statementFrom(answer: audit.GetStatementResponse): Statement {
  return {
    accountId: jsonInteger(answer.accountId),
    name: answer.name,
    from: answer.fromTime,
    asOf: answer.asOf,
    openingBalanceCents: answer.openingBalanceCents,
    movements: answer.movements.map((movement) => ({
      type: movement.type,
      time: movement.time,
      revision: movement.revision,
      amountCents: movement.amountCents,
      balanceAfterCents: movement.balanceAfterCents,
      cause: movement.cause,
      documentNumber: movement.documentNumber,
      documentId: jsonInteger(movement.documentId),
      description: movement.description,
      actor: movement.actor,
      requestId: movement.requestId,
    })),
    closingBalanceCents: answer.closingBalanceCents,
  };
}
