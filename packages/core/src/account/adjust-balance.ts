import { accept, reject, type Decision } from "../kernel/decider.ts";
import { maximumCents } from "../money/money.ts";
import type { AdjustBalance, ReverseTopUp } from "./account.commands.ts";
import type { AccountEvent, BalanceAdjusted } from "./account.events.ts";
import type { OpenAccountState } from "./account.state.ts";
import { cancellationOf } from "./documents.ts";
import { refundedCents } from "./refunded.ts";

/** Corrects a balance for staff. Because it is neither a payment nor a charge, it has no document. */
export function adjustBalance({ data }: AdjustBalance, state: OpenAccountState): Decision<AccountEvent> {
  const { kind, amountCents } = data;
  if (amountCents <= 0n) return outOfRange();
  return adjust(data, kind === "credit" ? amountCents : -amountCents, state);
}

/** Reverses a payment, for example a returned direct debit: debits what refunds to the source have left of it. */
export function reverseTopUp({ data }: ReverseTopUp, state: OpenAccountState): Decision<AccountEvent> {
  const { correctionId: _, terms: __, onlyCents, ...requested } = data;
  const credit = state.credits.get(data.reference);
  if (credit === undefined) return reject("not-found", "The account has no top-up with this reference.");
  if (isTakenBack(state, data.reference)) return accept();
  // Refunds to the source have left the balance already.
  const left = credit.amountCents - refundedCents(state, data.reference);
  const amountCents = onlyCents ?? left;
  if (left === 0n)
    return reject("validation-failed", "The payment was refunded in full: there is nothing to take back.");
  if (amountCents > left)
    return reject("reference-conflict", "A refund of the payment is in progress: wait for its end.");
  const decision = adjust({ ...requested, kind: "top-up-reversed" }, -amountCents, state);
  if (!decision.accepted || decision.events.length === 0) return decision;
  return accept(...decision.events, cancellationOf(data, { ...credit, amountCents }, state));
}

/** Returns true for a payment that was credited and then reversed. */
export function isTakenBack({ adjustments }: OpenAccountState, reference: string): boolean {
  return adjustments.has(adjustmentKey("top-up-reversed", reference));
}

/** Returns the key of an adjustment: references are unique for each kind. */
export function adjustmentKey(kind: BalanceAdjusted["data"]["kind"], reference: string): string {
  return `${kind} ${reference}`;
}

function adjust(
  {
    kind,
    reference,
    reason,
    debtAllowed,
    at,
  }: Omit<ReverseTopUp["data"], "correctionId" | "terms" | "onlyCents"> &
    Pick<BalanceAdjusted["data"], "kind">,
  changeCents: bigint,
  state: OpenAccountState,
): Decision<AccountEvent> {
  const known = state.adjustments.get(adjustmentKey(kind, reference));
  if (known !== undefined) return known === changeCents ? accept() : reject("reference-conflict");
  const balanceCents = state.balanceCents + changeCents;
  if (balanceCents > maximumCents || balanceCents < -maximumCents) return outOfRange();
  // A correction that reduces an existing debt needs no permission.
  if (changeCents < 0n && balanceCents < 0n && !debtAllowed)
    return reject("insufficient-balance", undefined, {
      requiredCents: -changeCents,
      availableCents: state.balanceCents,
    });
  return accept({
    type: "BalanceAdjusted",
    data: {
      kind,
      reference,
      amountCents: String(changeCents),
      balanceAfterCents: String(balanceCents),
      reason,
      debtAllowed,
      adjustedAt: at,
    },
  });
}

function outOfRange(): Decision<AccountEvent> {
  return reject("validation-failed", "The amount is out of range.", {
    fieldErrors: { amount: ["must be above zero, and the balance, or a debt, at most one billion euros"] },
  });
}
