import { hasAtMost, parsed, rejection, unparsable, type Parsed } from "@hostledger/core";
import { parseInstant, type DayEdge, type Report } from "@hostledger/audit/reports";
import { rejectionError } from "@hostledger/rpc";

/** Maximum characters of a stream name, as in the event store. */
export const maximumStreamLength = 500;

/** Returns a report's value. @throws ConnectError the report's refusal. */
export function reported<T>(report: Report<T>): T {
  if (!report.ok) throw rejectionError(report.rejection);
  return report.value;
}

/** Makes the refusal of a missing thing. */
export function missing(sentence: string): Error {
  return rejectionError(rejection("not-found", sentence));
}

/** Makes the refusal of a request without an answer. */
export function unanswerable(sentence: string): Error {
  return rejectionError(rejection("validation-failed", sentence));
}

/** Reads a field; undefined if absent. */
export function parseOptional<In, Out>(
  value: In | undefined,
  parse: (value: In) => Parsed<Out>,
): Parsed<Out | undefined> {
  return value === undefined ? parsed(undefined) : parse(value);
}

/** Reads an instant; undefined if absent. */
export function parseOptionalInstant(text: string | undefined, edge: DayEdge): Parsed<string | undefined> {
  return parseOptional(text, (given) => parseInstant(given, edge));
}

/** Reads a text of a limited length; empty only if `mayBeEmpty`. */
export function parseShort(text: string, limit: number, mayBeEmpty: boolean): Parsed<string> {
  if (hasAtMost(text, limit) && (mayBeEmpty || text !== "")) return parsed(text);
  return unparsable(`must be ${mayBeEmpty ? "at most" : "1 to"} ${String(limit)} characters long`);
}

/** Reads a number from 0 that is exact in JavaScript. */
export function parseCount(value: bigint): Parsed<number> {
  return value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? parsed(Number(value))
    : unparsable("must be 0 or more, and below 2^53");
}

/** Reads an account's id; an impossible id counts as an unknown account. @throws ConnectError `not-found` */
export function requestedAccount(accountId: bigint): number {
  if (accountId > 0n && accountId <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(accountId);
  throw missing(`There is no account ${String(accountId)}.`);
}
