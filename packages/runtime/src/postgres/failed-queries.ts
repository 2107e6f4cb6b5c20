import { errorCodeOf } from "../error-code.ts";

/** SQLSTATE classes that mean PostgreSQL is unavailable (PostgreSQL documentation, appendix A). */
const unavailable = new Set(["08", "53", "55", "57", "58"]);

/** Returns true if a query failed because PostgreSQL or the connection is unavailable. */
export function cannotBeAsked(error: unknown): boolean {
  const state = error instanceof Error && "severity" in error ? errorCodeOf(error) : undefined;
  return state === undefined || unavailable.has(state.slice(0, 2));
}

/** SQLSTATEs of a missing table or column. */
const notThere = new Set(["42P01", "42703"]);

/** Returns true if a query failed because its table or column is missing. */
export function findsNoTable(error: unknown): boolean {
  return notThere.has(errorCodeOf(error) ?? "");
}
