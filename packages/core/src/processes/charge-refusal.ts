import { cents, text } from "../kernel/fields.ts";
import type { DataOf } from "../kernel/event-definition.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import type { Rejection } from "../kernel/rejection.ts";

/** Stored fields of a refusal. Amounts are in cents (EUR), set if the balance was too low. */
export const refusalFields = {
  code: text,
  message: text,
  requiredCents: cents.nullable(),
  availableCents: cents.nullable(),
};

/**
 * A stored refusal that the run answers with: a code of the catalogue, and amounts in cents (EUR) if the balance was too
 * low.
 */
export type ChargeRefusal = DataOf<typeof refusalFields>;

/** Refusals of the account that prove that nothing was charged. Any other refusal waits for staff. */
const chargeRefusals: ReadonlySet<RejectionCode> = new Set([
  "insufficient-balance",
  "account-not-open",
  "profile-incomplete",
  "validation-failed",
]);

/** True if the refusal proves that nothing was charged. */
export function isChargeRefusal({ code }: Rejection): boolean {
  return chargeRefusals.has(code);
}

/** Converts a rejection to its stored form. */
export function chargeRefusalOf({ code, message, detail }: Rejection): ChargeRefusal {
  return {
    code,
    message,
    requiredCents: centsText(detail?.requiredCents),
    availableCents: centsText(detail?.availableCents),
  };
}

function centsText(amount: bigint | undefined): string | null {
  return amount === undefined ? null : String(amount);
}
