import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { count, id, instant, text } from "../kernel/fields.ts";

/** A sequence of ids and the last id of it that may have been given out. */
const sequenceEnd = z.object({ sequence: text, last: id });

/** What happens when the event store is put back to an older copy (stream `rewind-all`). */
export const storeRewindEvents = defineEvents({
  StoreRewindNoticed: event(
    "A process found that the store lacks an event that the process had seen: nothing that costs money is written until staff accept the store.",
    {
      /** Names the notice. */
      rewindId: text,
      /** The stream of the event that the store lacks. */
      stream: text,
      revision: z.int().min(0),
      eventId: text,
      /** The last ids that this process knows of. */
      sequences: z.array(sequenceEnd),
      noticedAt: instant,
    },
  ),
  StoreRewindAccepted: event(
    "Staff, or a restore, accepted the store as it is: ids continue above those that may have been given out, and documents in a new series.",
    {
      /** The notices that this accepts; none where no process noticed anything. */
      rewindIds: z.array(text),
      /** The number of the new series: documents are numbered `2026-7-R1-000001` in the first. */
      series: count,
      /** The id that each sequence continues after. */
      sequences: z.array(sequenceEnd),
      reason: text,
      acceptedAt: instant,
    },
  ),
});

/** One of these. */
export type StoreRewindEvent = EventOf<typeof storeRewindEvents>;

/** What a process noticed. */
export type StoreRewind = EventOf<typeof storeRewindEvents, "StoreRewindNoticed">["data"];

/** A sequence of ids and the last id of it that may have been given out. */
export type SequenceEnd = StoreRewind["sequences"][number];

/** Reads and names the events about stores that were put back. */
export const storeRewindCodec = eventCodec(storeRewindEvents);
