import { excerptOf, TemporarilyUnavailableError } from "@hostledger/core";

/** The read-model database cannot be used as it is; the message is a sentence for the operator. */
export class ReadModelError extends Error {
  override readonly name = "ReadModelError";
}

/** A handler inserted a row whose key an earlier event has taken. */
export class RowConflictError extends Error {
  override readonly name = "RowConflictError";

  constructor(table: string, key: readonly unknown[]) {
    super(`table ${table} already has a row with the key ${key.map(String).join(", ")}`);
  }
}

/** A stored event of a type that no handler is named for: written by a newer version, or by someone else. */
export class UnknownEventTypeError extends Error {
  override readonly name = "UnknownEventTypeError";

  constructor(storedType: string) {
    super(`events of the type ${excerptOf(storedType)} are not known to this version of Hostledger`);
  }
}

/** A read model's tables were never built: nothing can be read from them yet, which is something else than nothing. */
export class ReadModelNotBuiltError extends TemporarilyUnavailableError {
  override readonly name = "ReadModelNotBuiltError";
  override readonly sentence = "This list is still being put together.";
}

/** The database of read models does not answer, or takes no more: nothing can be read until it does. */
export class ReadModelUnavailableError extends TemporarilyUnavailableError {
  override readonly name = "ReadModelUnavailableError";
  override readonly sentence = "This list cannot be read now.";
}

/** What went wrong, in words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
