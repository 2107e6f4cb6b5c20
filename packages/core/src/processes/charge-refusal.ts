import { cents, text } from "../kernel/fields.ts";
import type { DataOf } from "../kernel/event-definition.ts";
import type { RejectionCode } from "../kernel/rejection-catalogue.ts";
import type { Rejection } from "../kernel/rejection.ts";

/** The fields of a refusal that a run remembers: amounts in cents (EUR) where the balance was too low. */
export const refusalFields = {
  code: text,
  message: text,
  requiredCents: cents.nullable(),
  availableCents: cents.nullable(),
};

/** The refusal that a run remembers to answer with: a code of the catalogue, and amounts in cents (EUR) where it names some. */
export type ChargeRefusal = DataOf<typeof refusalFields>;

/** Answers of the account after which certainly nothing was charged; any other answer is for staff. */
const chargeRefusals: ReadonlySet<RejectionCode> = new Set([
  "insufficient-balance",
  "account-not-open",
  "validation-failed",
]);

/** True when the account's answer says that certainly nothing was charged. */
export function isChargeRefusal({ code }: Rejection): boolean {
  return chargeRefusals.has(code);
}

/** A refusal as a fact keeps it. */
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
