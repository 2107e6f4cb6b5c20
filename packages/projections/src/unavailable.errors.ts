import { TemporarilyUnavailableError } from "@hostledger/core";

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
