import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "../kernel/event-definition.ts";
import { instant, line, text } from "../kernel/fields.ts";

/** Compared parts of the books; each service has its own part. */
export const comparedParts = ["domains", "servers", "payments"] as const;

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

const comparedV1 = {
  part: z.enum(comparedParts),
  /** Numbers of differences by severity. */
  critical: found,
  major: found,
  minor: found,
  /** Questions that a provider did not answer. */
  unanswered: found,
  beganAt: instant,
  comparedAt: instant,
};

const listed = z
  .array(
    z.strictObject({
      provider: line(50),
      /** The span ended when the comparison began. */
      from: instant,
      movements: found,
      /** Movements of other installations at the same provider, which were left out. */
      foreign: found,
    }),
  )
  .max(10);
const nothingListed: z.output<typeof listed> = [];

/** Events of the daily comparison of a part of the books with the providers (stream `comparison-<part>`). */
export const comparisonEvents = defineEvents({
  BooksCompared: event(
    "A comparison of one part of the books with its providers was completed.",
    {
      ...comparedV1,
      /** What providers listed of a span of time; empty if providers were asked about each thing. */
      listed,
    },
    { was: [shape(comparedV1), (older) => ({ ...older, listed: nothingListed })] },
  ),
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
