import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

/** Compared parts of the books; each service has its own part. */
export const comparedParts = ["domains", "servers"] as const;

export type ComparedPart = (typeof comparedParts)[number];

const found = z.int().min(0);

/** Maximum new differences, and maximum resolved differences, in an event. */
export const followedLimit = 100;

const followed = z
  .array(
    z.strictObject({
      /** Kind of difference, for example `domain-unpaid`. */
      kind: text,
      resource: text,
      /** Cause of its ticket. */
      cause: text,
    }),
  )
  .max(followedLimit);

/** Events of the daily comparison of a part of the books with the providers (stream `comparison-<part>`). */
export const comparisonEvents = defineEvents({
  BooksCompared: event("A comparison of one part of the books with its providers was completed.", {
    part: z.enum(comparedParts),
    /** Numbers of differences by severity. */
    critical: found,
    major: found,
    minor: found,
    /** Questions that a provider did not answer. */
    unanswered: found,
    beganAt: instant,
    comparedAt: instant,
  }),
  CriticalDifferencesChanged: event(
    "A comparison found new critical differences, or found that earlier ones are gone. A critical difference puts money or a domain name at risk.",
    { part: z.enum(comparedParts), found: followed, mended: followed, changedAt: instant },
  ),
});

export type ComparisonEvent = EventOf<typeof comparisonEvents>;

export type Comparison = EventOf<typeof comparisonEvents, "BooksCompared">["data"];

export type CriticalDifferencesChanged = EventOf<typeof comparisonEvents, "CriticalDifferencesChanged">;

/** A difference that affects money or a domain name. */
export type FollowedDifference = CriticalDifferencesChanged["data"]["found"][number];

export const comparisonCodec = eventCodec(comparisonEvents);
