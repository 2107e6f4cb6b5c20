import { centsField, idField, textField } from "../kernel/fields.ts";

/** The fields of a charge that stands, in the facts of runs. */
export const chargeFields = { chargeId: textField, invoiceId: idField, grossCents: centsField };

/** The fields of a refusal that a run remembers. */
export const refusalFields = {
  code: textField,
  message: textField,
  requiredCents: centsField.nullable(),
  availableCents: centsField.nullable(),
};
