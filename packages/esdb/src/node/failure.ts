import { status, type ServiceError } from "@grpc/grpc-js";
import {
  EventStoreFailedError,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  InvalidAppendError,
} from "@hostledger/store";

import { encodeTrailers } from "../codec/refusal.codec.ts";
import { Refusal } from "../codec/refusal.ts";

/** Any failure as a refusal: what the store says in its own words, or "internal error" for a bug. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidAppendError) return new Refusal(status.INVALID_ARGUMENT, error.message);
  if (error instanceof EventStoreOverloadedError) {
    return new Refusal(status.UNAVAILABLE, "Server Is Too Busy");
  }
  if (isStoreGone(error)) return new Refusal(status.UNAVAILABLE, "the event store does not answer");
  return new Refusal(status.INTERNAL, "internal error");
}

/** Whether the store is closed or has failed: callers are to come again later. */
export function isStoreGone(error: unknown): boolean {
  return error instanceof EventStoreUnavailableError || error instanceof EventStoreFailedError;
}

/** Whether the failure is a bug of this node, whose details belong in the log and not in the answer. */
export function isBug(error: unknown): boolean {
  return toRefusal(error).code === status.INTERNAL && !(error instanceof Refusal);
}

/** The error as gRPC sends it. */
export function toServiceError(error: unknown): ServiceError {
  return encodeTrailers(toRefusal(error));
}
