import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, secret, sha256, text } from "../kernel/fields.ts";

/** Limits of a response: an accepted response must fit the stored event. */
export const outcomeLimits = { leastStatus: 100, greatestStatus: 599, bodyBytes: 262_144 } as const;

/**
 * Events of an `Idempotency-Key` (stream `request-<hash of account and key>`; contract, "Conventions"). Keys never expire.
 */
export const requestEvents = defineEvents({
  RequestBegun: event("A request claimed the idempotency key and is now running.", {
    accountId: id,
    /** Covers method, path and body. Sealed, because a hash would let readers confirm a guessed body. */
    fingerprint: secret(sha256),
    /** Id of the operation. Ids of all effects derive from it, so that running the request again repeats no effect. */
    operationId: text,
    /** Id of the process that runs the request. */
    owner: text,
    begunAt: instant,
  }),
  RequestTakenOver: event(
    "Another process runs the request again, because its owner died before it had answered.",
    { operationId: text, owner: text, takenOverAt: instant },
  ),
  RequestAnswered: event(
    "The request was answered. Every repetition gets the same bytes.",
    {
      operationId: text,
      status: z.int().min(outcomeLimits.leastStatus).max(outcomeLimits.greatestStatus),
      body: secret(line(outcomeLimits.bodyBytes)),
      answeredAt: instant,
      /** Account of the request; null if an older version stored the event. */
      accountId: id.nullable(),
    },
    { firstVersion: 2 },
  ),
  RequestReleased: event("The request failed before it had any effect, so its key may be used again.", {
    operationId: text,
    releasedAt: instant,
  }),
});

export type RequestEvent = EventOf<typeof requestEvents>;
export type RequestBegun = EventOf<typeof requestEvents, "RequestBegun">;
export type RequestTakenOver = EventOf<typeof requestEvents, "RequestTakenOver">;
export type RequestAnswered = EventOf<typeof requestEvents, "RequestAnswered">;
export type RequestReleased = EventOf<typeof requestEvents, "RequestReleased">;

export const requestCodec = eventCodec(requestEvents);
