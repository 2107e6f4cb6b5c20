import {
  assertNever,
  rejection,
  type ChargeRefusal,
  type OrderFailure,
  type PaidOrderAnswer,
  type Rejection,
} from "@hostledger/core";
import { defined } from "@hostledger/runtime";

import { rejectionError } from "./rejection-error.ts";
import { isRejectionCode } from "./rejection-table.ts";

/**
 * Returns the result of a paid order.
 * @param failed rejection if the order was undone.
 * @param unsettled rejection while the outcome is uncertain.
 * @throws ConnectError if the order was not carried out.
 */
export function doneOrThrow<Held>(
  answer: PaidOrderAnswer<Held>,
  failed: (failure: Exclude<OrderFailure, { kind: "declined" }>) => Rejection,
  unsettled?: string,
): Extract<PaidOrderAnswer<Held>, { kind: "done" }> {
  switch (answer.kind) {
    case "done":
      return answer;
    case "declined":
      throw rejectionError(rejectionOfRefusal(answer.refusal));
    case "failed":
    case "abandoned":
      throw rejectionError(failed(answer));
    case "pending":
    case "unsettled":
      throw rejectionError(rejection("deadline-exceeded", unsettled));
    default:
      return assertNever(answer);
  }
}

/** Converts the refusal stored by a run. */
function rejectionOfRefusal({ code, message, requiredCents, availableCents }: ChargeRefusal): Rejection {
  const amounts = { requiredCents: centsOf(requiredCents), availableCents: centsOf(availableCents) };
  return rejection(isRejectionCode(code) ? code : "internal", message, defined(amounts));
}

function centsOf(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(text);
}
