import { hasAtMost, parsed, rejection, unparsable, type Parsed } from "@hostledger/core";
import { parseInstant, type DayEdge, type Report } from "@hostledger/reports";
import { rejectionError } from "@hostledger/rpc";

/** The longest stream name, as the event store has it. */
export const maximumStreamLength = 500;

/** A report's value. @throws ConnectError the refusal that it is instead. */
export function reported<T>(report: Report<T>): T {
  if (!report.ok) throw rejectionError(report.rejection);
  return report.value;
}

/** A refusal of something that is not there. */
export function missing(sentence: string): Error {
  return rejectionError(rejection("not-found", sentence));
}

/** A refusal of a request that has no answer. */
export function unanswerable(sentence: string): Error {
  return rejectionError(rejection("validation-failed", sentence));
}

/** Reads an instant; undefined where none is given. */
export function parseOptionalInstant(text: string | undefined, edge: DayEdge): Parsed<string | undefined> {
  return text === undefined ? parsed(undefined) : parseInstant(text, edge);
}

/** Reads a text of a limited length; the empty one only where `mayBeEmpty`. */
export function parseShort(text: string, limit: number, mayBeEmpty: boolean): Parsed<string> {
  if (hasAtMost(text, limit) && (mayBeEmpty || text !== "")) return parsed(text);
  return unparsable(`must be ${mayBeEmpty ? "at most" : "1 to"} ${String(limit)} characters long`);
}

/** Reads a number of 0 or more that a JavaScript number holds exactly. */
export function parseCount(value: bigint): Parsed<number> {
  return value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? parsed(Number(value))
    : unparsable("must be 0 or more, and below 2^53");
}

/** Reads an account's id as one that is asked for: what can be no id is no account. @throws ConnectError `not-found` */
export function requestedAccount(accountId: bigint): number {
  if (accountId > 0n && accountId <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(accountId);
  throw missing(`There is no account ${String(accountId)}.`);
}
