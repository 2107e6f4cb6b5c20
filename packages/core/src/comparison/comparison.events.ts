import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant, text } from "../kernel/fields.ts";

/** The parts of the books that are compared, each by its service. */
export const comparedParts = ["domains", "servers"] as const;

/** One of them. */
export type ComparedPart = (typeof comparedParts)[number];

const found = z.int().min(0);

/** Differences that are followed in one fact at most, of each sort. */
export const followedLimit = 100;

const followed = z
  .array(
    z.strictObject({
      /** What differs, for example `domain-unpaid`. */
      kind: text,
      /** The name or the server. */
      resource: text,
      /** What its ticket is opened for. */
      cause: text,
    }),
  )
  .max(followedLimit);

/** The daily comparisons of a part of the books with what providers hold (stream `comparison-<part>`). */
export const comparisonEvents = defineEvents({
  BooksCompared: event("A part of the books was compared whole with what its providers hold.", {
    part: z.enum(comparedParts),
    /** Differences by how much hangs on them. */
    critical: found,
    major: found,
    minor: found,
    /** Questions that nobody answered. */
    unanswered: found,
    beganAt: instant,
    comparedAt: instant,
  }),
  CriticalDifferencesChanged: event(
    "Differences on which money or a name hangs were found that had not been there, or were looked at again and are there no more.",
    { part: z.enum(comparedParts), found: followed, mended: followed, changedAt: instant },
  ),
});

/** One of these. */
export type ComparisonEvent = EventOf<typeof comparisonEvents>;

/** What a comparison came to. */
export type Comparison = EventOf<typeof comparisonEvents, "BooksCompared">["data"];

/** Differences on which money or a name hangs appeared, or are mended. */
export type CriticalDifferencesChanged = EventOf<typeof comparisonEvents, "CriticalDifferencesChanged">;

/** A difference on which money or a name hangs, and what its ticket is opened for. */
export type FollowedDifference = CriticalDifferencesChanged["data"]["found"][number];

/** Reads and names these facts. */
export const comparisonCodec = eventCodec(comparisonEvents);
