import { cents, id, text } from "../kernel/fields.ts";

/** The fields of a charge that stands, in the facts of runs. */
export const chargeFields = { chargeId: text, invoiceId: id, grossCents: cents };

/** The fields of a refusal that a run remembers. */
export const refusalFields = {
  code: text,
  message: text,
  requiredCents: cents.nullable(),
  availableCents: cents.nullable(),
};
