import { hash } from "node:crypto";

import {
  request,
  requestCodec,
  type RequestCommand,
  type RequestEvent,
  type RequestState,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** The rules of an `Idempotency-Key` with their streams and their stored events. */
export const requestAggregate: Aggregate<RequestCommand, RequestState, RequestEvent> = {
  category: "request",
  decider: request,
  codec: requestCodec,
};

/**
 * The id of a key's stream. A hash, since a key may hold what a stream's name must not; the account is part of it, so that
 * accounts do not share keys. NUL is in no key, which makes the two parts unmistakable.
 */
export function requestIdOf(accountId: number, key: string): string {
  return hash("sha256", `${String(accountId)}\0${key}`, "hex");
}
