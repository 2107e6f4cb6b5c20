import type { z } from "zod";

import { fieldSentence, shownValue, type RawRequest } from "./explanation.ts";
import { RefusalError } from "./refusal.ts";

/**
 * Converts Zod's issues to a refusal.
 * @param issues their paths start with `params`, `query` or `body`.
 * @param raw request whose values the sentences show.
 * @returns 404 for an invalid path parameter, because no such resource exists; otherwise 422 with the field errors.
 */
export function invalidRequest(issues: readonly z.core.$ZodIssue[], raw: RawRequest): RefusalError {
  const wrongPath = issues.find(({ path }) => path[0] === "params");
  if (wrongPath !== undefined) {
    const name = String(wrongPath.path[1]);
    const value = shownValue(name, valueAt(raw, wrongPath.path));
    const note = value === undefined ? "" : ` (${name}: ${value})`;
    return new RefusalError({ code: "not-found", message: `There is no such resource${note}.` });
  }
  const byField = new Map<string, string[]>();
  const places = new Set<string>();
  // Errors of a whole field precede errors of its items.
  for (const { path, message } of issues.toSorted((a, b) => a.path.length - b.path.length)) {
    // Zod also checks the length of values of the wrong type; only the first error per value is meaningful.
    const place = path.join(".");
    if (places.has(place)) continue;
    places.add(place);
    const field = String(path[1]);
    const value = shownValue(String(path.at(-1)), valueAt(raw, path));
    const sentence = fieldSentence(subject(path.slice(1)), message, value);
    byField.set(field, [...(byField.get(field) ?? []), sentence]);
  }
  return invalidFields(byField);
}

/** Returns the value at a path of a request; undefined if absent. */
function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const place of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, place)?.value;
  }
  return value;
}

export function invalidField(field: string, sentence: string): RefusalError {
  return invalidFields(new Map([[field, [sentence]]]));
}

function invalidFields(byField: ReadonlyMap<string, readonly string[]>): RefusalError {
  const [first = "The request is invalid.", ...others] = [...byField.values()].flat();
  const more = others.length === 0 ? "" : ` (and ${String(others.length)} more)`;
  return new RefusalError({
    code: "validation-failed",
    message: first + more,
    detail: { fieldErrors: Object.fromEntries(byField) },
  });
}

/** Converts a path to a subject: `records`, 0, `value` → "The field records, item 1, value,". */
function subject([field, ...within]: readonly PropertyKey[]): string {
  const places = within.map((place) =>
    typeof place === "number" ? `item ${String(place + 1)}` : String(place),
  );
  return [`The field ${String(field)}`, ...places].join(", ") + (places.length === 0 ? "" : ",");
}
