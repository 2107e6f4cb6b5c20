import { status, type ServiceError } from "@grpc/grpc-js";
import {
  EventStoreFailedError,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  InvalidAppendError,
} from "@hostledger/store";

import { encodeTrailers } from "../codec/refusal.codec.ts";
import { Refusal } from "../codec/refusal.ts";

/** Converts a failure to a refusal: the store's errors in their own words, a bug as "internal error". */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidAppendError) return new Refusal(status.INVALID_ARGUMENT, error.message);
  if (error instanceof EventStoreOverloadedError) {
    return new Refusal(status.UNAVAILABLE, "Server Is Too Busy");
  }
  if (isStoreGone(error)) return new Refusal(status.UNAVAILABLE, "the event store does not answer");
  return new Refusal(status.INTERNAL, "internal error");
}

/** True if the store is closed or has failed, so that callers should come again later. */
export function isStoreGone(error: unknown): boolean {
  return error instanceof EventStoreUnavailableError || error instanceof EventStoreFailedError;
}

/** True for a bug of this node, whose details belong in the log only. */
export function isBug(error: unknown): boolean {
  return toRefusal(error).code === status.INTERNAL && !(error instanceof Refusal);
}

/** Converts the error to gRPC's form. */
export function toServiceError(error: unknown): ServiceError {
  return encodeTrailers(toRefusal(error));
}
