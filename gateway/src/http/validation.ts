import type { z } from "zod";

import { RefusalError } from "./refusal.ts";

/**
 * What zod found wrong with a request, as a refusal.
 * @param issues paths start with the part of the request: `params`, `query` or `body`.
 * @returns 404 when a path parameter is wrong, since then no such resource exists; otherwise 422 naming the fields.
 */
export function invalidRequest(issues: readonly z.core.$ZodIssue[]): RefusalError {
  if (issues.some(({ path }) => path[0] === "params")) {
    return new RefusalError({ code: "not-found", message: "There is no such resource." });
  }
  const byField = new Map<string, string[]>();
  const places = new Set<string>();
  // A sentence about the whole field is worth more than those about its items, so it comes first.
  for (const { path, message } of issues.toSorted((a, b) => a.path.length - b.path.length)) {
    // Zod looks at the length of what is not even text; of two sentences about one value the first is the true one.
    const place = path.join(".");
    if (places.has(place)) continue;
    places.add(place);
    const field = String(path[1]);
    byField.set(field, [...(byField.get(field) ?? []), `${subject(path.slice(1))} ${message}.`]);
  }
  return invalidFields(byField);
}

/** The refusal of one field, with a whole sentence. */
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

/**
 * `nameservers`, 1 → "The field nameservers, item 2,"; `records`, 0, `value` → "The field records, item 1, value,". Items are
 * counted from one, as people do.
 */
function subject([field, ...within]: readonly PropertyKey[]): string {
  const places = within.map((place) =>
    typeof place === "number" ? `item ${String(place + 1)}` : String(place),
  );
  return [`The field ${String(field)}`, ...places].join(", ") + (places.length === 0 ? "" : ",");
}
