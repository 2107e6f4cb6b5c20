import { rejection, type Parsed } from "@hostledger/core";

import { rejectionError } from "./rejection-error.ts";

/**
 * Takes the values of a request's parsed fields. Services parse every request with core's own parsers, whoever calls.
 *
 * @throws ConnectError `validation-failed`, naming every field that breaks its rule.
 */
export function validated<Fields extends Readonly<Record<string, unknown>>>(fields: {
  readonly [Name in keyof Fields]: Parsed<Fields[Name]>;
}): Fields {
  const entries = Object.entries<Parsed<unknown>>(fields);
  const fieldErrors = Object.fromEntries(
    entries.flatMap(([field, result]) => (result.ok ? [] : [[field, [result.error]]])),
  );
  const wrong = Object.keys(fieldErrors);
  if (wrong.length > 0) {
    const [field = ""] = wrong;
    const message = `${field} ${fieldErrors[field]?.[0] ?? "is invalid"}.`;
    throw rejectionError(rejection("validation-failed", message, { fieldErrors }));
  }
  return Object.fromEntries(
    entries.flatMap(([field, result]) => (result.ok ? [[field, result.value]] : [])),
  ) as Fields;
}
