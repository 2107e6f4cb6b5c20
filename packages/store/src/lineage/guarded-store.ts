import { sequenceCodec, StoreRewoundError, UndecodableEventError } from "@hostledger/core";

import { WrongExpectedRevisionError, type EventStore, type EventToAppend } from "../event-store.port.ts";
import { withAppend } from "../with-append.ts";
import { isCompared, type Lineage } from "./lineage.ts";

const sequencePrefix = "sequence-";

/**
 * Wraps the store with lineage checks. Appends wait during a comparison and are refused while the store is rewound. A
 * subscription ends with `StoreRewoundError` if the store turns out to be another copy.
 */
export function guardLineage(store: EventStore, lineage: Lineage): EventStore {
  const appending = withAppend(store, async (stream, expected, events) => {
    if (!isCompared(stream)) return store.append(stream, expected, events);
    await lineage.admit(stream);
    try {
      const result = await store.append(stream, expected, events);
      const { revision, position } = result;
      const id = events.at(-1)?.id;
      if (id !== undefined) lineage.note({ stream, revision, position, id });
      if (stream.startsWith(sequencePrefix)) noteSequence(lineage, stream, events);
      return result;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      lineage.invalidate();
      await lineage.admit(stream);
      throw error;
    }
  });
  return {
    ...appending,
    lineage,
    async *subscribe(options) {
      await lineage.settled();
      const { ended } = lineage;
      const signal = options.signal === undefined ? ended : AbortSignal.any([options.signal, ended]);
      for await (const batch of store.subscribe({ ...options, signal })) {
        if (ended.aborted) break;
        lineage.noteBatch(batch.events);
        yield batch;
      }
      if (ended.aborted && options.signal?.aborted !== true)
        throw new StoreRewoundError(
          "the event store was restored from an older backup: read it from its start",
        );
    },
  };
}

/** Notes the highest id that these events reserve in a sequence. */
export function noteSequence(
  lineage: Pick<Lineage, "noteSequence">,
  stream: string,
  events: readonly Pick<EventToAppend, "type" | "data">[],
): void {
  for (const event of events) {
    const last = lastIdOf(event);
    if (last !== undefined) lineage.noteSequence(stream.slice(sequencePrefix.length), last);
  }
}

/** Returns the last id of a reserved block; undefined for a foreign or damaged event. */
export function lastIdOf({ type, data }: Pick<EventToAppend, "type" | "data">): number | undefined {
  if (!sequenceCodec.knows(type)) return undefined;
  try {
    return sequenceCodec.decode(type, data).data.last;
  } catch (error) {
    if (error instanceof UndecodableEventError) return undefined;
    throw error;
  }
}
