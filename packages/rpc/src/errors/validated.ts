import { rejection, type Parsed } from "@hostledger/core";

import { rejectionError } from "./rejection-error.ts";

type ParsedFields<Fields> = { readonly [Name in keyof Fields]: Parsed<Fields[Name]> };

/**
 * Returns the values of a request's parsed fields. Services validate every request with core's parsers, whoever
 * calls.
 * @throws ConnectError `validation-failed` naming every invalid field.
 */
export function validated<Fields extends object>(fields: ParsedFields<Fields>): Fields {
  const values: Record<string, unknown> = {};
  const fieldErrors: Record<string, readonly string[]> = {};
  for (const [field, result] of Object.entries<Parsed<unknown>>(fields)) {
    if (result.ok) values[field] = result.value;
    else fieldErrors[field] = [result.error];
  }
  if (hasEvery(fields, values)) return values;
  const sentences = Object.entries(fieldErrors).map(([field, messages]) => `${field} ${messages.join(", ")}`);
  throw rejectionError(rejection("validation-failed", `${sentences.join("; ")}.`, { fieldErrors }));
}

/** True when every field was read, so that the values are whole. */
function hasEvery<Fields extends object>(fields: ParsedFields<Fields>, values: object): values is Fields {
  return Object.keys(fields).every((field) => Object.hasOwn(values, field));
}
