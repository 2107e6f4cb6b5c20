import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { count, id, instant, text } from "../kernel/fields.ts";

/** Replaces a sequence's name where `last` is the number of a series of documents. */
export const seriesName = "series";

/** A sequence of ids and its last possibly used id. */
const sequenceEnd = z.object({ sequence: text, last: id });

/** Events of a store that was restored from an older backup (stream `rewind-all`). */
export const storeRewindEvents = defineEvents({
  StoreRewindNoticed: event(
    "A process found that the store lacks an event that the process had read. Nothing that costs money is written until staff accept the store.",
    {
      rewindId: text,
      stream: text,
      revision: z.int().min(0),
      eventId: text,
      /** The last ids, and the last series, that may have been used according to the reporting process and its audit log. */
      sequences: z.array(sequenceEnd),
      noticedAt: instant,
    },
  ),
  StoreRewindAccepted: event(
    "Staff or a restore accepted the store in its present state. New ids start above all ids that may have been used, and documents begin a new series.",
    {
      /** Accepted notices; empty if no process noticed the loss. */
      rewindIds: z.array(text),
      /** Number of the new series; documents of the first series are numbered like `2026-7-R1-000001`. */
      series: count,
      /** Last used id of each sequence; new ids are larger. */
      sequences: z.array(sequenceEnd),
      reason: text,
      acceptedAt: instant,
    },
  ),
});

export type StoreRewindEvent = EventOf<typeof storeRewindEvents>;

export type StoreRewind = EventOf<typeof storeRewindEvents, "StoreRewindNoticed">["data"];

export type SequenceEnd = StoreRewind["sequences"][number];

export const storeRewindCodec = eventCodec(storeRewindEvents);
