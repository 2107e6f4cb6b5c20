import { TemporarilyUnavailableError } from "@hostledger/core";

/** A read model's tables were never built, so a query cannot tell an empty list from a missing one. */
export class ReadModelNotBuiltError extends TemporarilyUnavailableError {
  override readonly name = "ReadModelNotBuiltError";
  override readonly sentence = "This list is still being built.";
}

/** The database of read models does not answer or accepts no more connections, so nothing can be read until it does. */
export class ReadModelUnavailableError extends TemporarilyUnavailableError {
  override readonly name = "ReadModelUnavailableError";
  override readonly sentence = "This list cannot be read now.";
}
