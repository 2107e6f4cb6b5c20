import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { instant } from "../kernel/fields.ts";

/** The parts of the books that are compared, each by its service. */
export const comparedParts = ["domains", "servers"] as const;

/** One of them. */
export type ComparedPart = (typeof comparedParts)[number];

const found = z.int().min(0);

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
});

/** One of these. */
export type ComparisonEvent = EventOf<typeof comparisonEvents>;

/** What a comparison came to. */
export type Comparison = ComparisonEvent["data"];

/** Reads and names these facts. */
export const comparisonCodec = eventCodec(comparisonEvents);
