import { accountCodec } from "@hostledger/core";
import { readableEvent, type EventStore, type Position, type RecordedEvent } from "@hostledger/event-store";

import { subjectOfAccount, type SubjectKeys } from "./subject-keys.port.ts";

/** The stored type of the fact that a person's data is erased, in every version. */
const erasedType = /^PersonalDataErased\.v\d+$/;
const accountStream = /^account-(\d+)$/;

/** At most so many events of accounts, or batches without any, lie between two marks. */
const eventsBetweenMarks = 10_000;

/** How the log is followed. */
export interface ErasureFollowing {
  readonly store: EventStore;
  readonly keys: SubjectKeys;
  readonly signal: AbortSignal;
  /** Hears the subjects whose keys were destroyed here: nobody had come to it after the fact. */
  readonly onDestroyed?: (subject: string) => void;
}

/**
 * Destroys the keys of everybody whose erasure is in the log, from where it was last done. So an erasure is finished whose
 * process died after the fact, and keys that came back from a backup are destroyed again. Ends with the signal.
 */
export async function followErasures({ store, keys, signal, onDestroyed }: ErasureFollowing): Promise<void> {
  const mark = await keys.erasuresUntil();
  const from = mark === undefined ? "start" : startOf(BigInt(mark), await store.lastPosition());
  let seen = 0;
  let isBehind = true;
  for await (const batch of store.subscribe({ from, streamPrefixes: ["account-"], signal })) {
    let found = false;
    for (const event of batch.events) {
      const id = isErasure(event) ? accountStream.exec(event.stream)?.[1] : undefined;
      if (id === undefined) continue;
      found = true;
      const subject = subjectOfAccount(Number(id));
      if (await keys.destroy(subject)) onDestroyed?.(subject);
    }
    seen += Math.max(1, batch.events.length);
    const hasReachedEnd = isBehind && batch.caughtUp;
    // Live, single events are not worth a write each: they are read once more after a restart.
    if (!found && !hasReachedEnd && seen < eventsBetweenMarks) continue;
    seen = 0;
    isBehind = !batch.caughtUp && isBehind;
    await keys.markErasuresUntil(String(batch.position));
  }
}

/** A key is destroyed for good: an event that other software wrote, or that is damaged, destroys none. */
function isErasure(recorded: RecordedEvent): boolean {
  return erasedType.test(recorded.type) && readableEvent(accountCodec, recorded) !== undefined;
}

/** A mark behind the log's end is of another store, for example of one that was moved: everything is searched. */
function startOf(mark: Position, last: Position | undefined): Position | "start" {
  return last === undefined || mark > last ? "start" : mark;
}
