import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, line, secret, sha256, text } from "../kernel/fields.ts";

/** Limits of an outcome: what is accepted must fit the shape of the stored event. */
export const outcomeLimits = { leastStatus: 100, greatestStatus: 599, bodyBytes: 262_144 } as const;

/**
 * What became of a request that carries an `Idempotency-Key` (stream `request-<hash of account and key>`; contract,
 * "Conventions"). A key is kept for good.
 */
export const requestEvents = defineEvents({
  RequestBegun: event("The key was claimed by a request, which is now running.", {
    accountId: id,
    /** Over method, path and body. Sealed, because a reader could compute it for a guessed body and compare. */
    fingerprint: secret(sha256),
    /** Names the operation: all effects of the request are derived from it, so that running it again repeats none. */
    operationId: text,
    /** The process that runs it. */
    owner: text,
    begunAt: instant,
  }),
  RequestTakenOver: event(
    "Another process runs the request again, since its owner died before it had answered.",
    { operationId: text, owner: text, takenOverAt: instant },
  ),
  RequestAnswered: event(
    "The request was answered: every repeat gets these bytes.",
    {
      operationId: text,
      status: z.int().min(outcomeLimits.leastStatus).max(outcomeLimits.greatestStatus),
      body: secret(line(outcomeLimits.bodyBytes)),
      answeredAt: instant,
      /** Whose request it was; null where the fact was stored before it said so. */
      accountId: id.nullable(),
    },
    { firstVersion: 2 },
  ),
  RequestReleased: event("The request failed before it had any effect: the key may be used again.", {
    operationId: text,
    releasedAt: instant,
  }),
});

/** Everything that happens to a key. */
export type RequestEvent = EventOf<typeof requestEvents>;
/** The key was claimed by a request, which is now running. */
export type RequestBegun = EventOf<typeof requestEvents, "RequestBegun">;
/** Another process runs the request again, since its owner died before it had answered. */
export type RequestTakenOver = EventOf<typeof requestEvents, "RequestTakenOver">;
/** The request was answered: every repeat gets these bytes. */
export type RequestAnswered = EventOf<typeof requestEvents, "RequestAnswered">;
/** The request failed before it had any effect: the key may be used again. */
export type RequestReleased = EventOf<typeof requestEvents, "RequestReleased">;

/** Reads and names the events of a key. */
export const requestCodec = eventCodec(requestEvents);
