import { errorCodeOf } from "../error-code.ts";

/** Classes of SQLSTATEs by which PostgreSQL says that it cannot be asked now (PostgreSQL documentation, appendix A). */
const unavailable = new Set(["08", "53", "55", "57", "58"]);

/** Whether a query of `pg` failed since PostgreSQL, or the way to it, cannot be used now: whatever is no answer of the server comes from the way. */
export function cannotBeAsked(error: unknown): boolean {
  const state = error instanceof Error && "severity" in error ? errorCodeOf(error) : undefined;
  return state === undefined || unavailable.has(state.slice(0, 2));
}

/** SQLSTATEs of a query that names a table or a column which does not exist. */
const notThere = new Set(["42P01", "42703"]);

/** Whether a query of `pg` failed since its table, or a column of it, is not there. */
export function findsNoTable(error: unknown): boolean {
  return notThere.has(errorCodeOf(error) ?? "");
}
