import { accountCodec } from "@hostledger/core";
import { readableEvent, type EventStore, type Position, type RecordedEvent } from "../index.ts";

import { subjectOfAccount, type SubjectKeys } from "./subject-keys.port.ts";

const erasedType = /^PersonalDataErased\.v\d+$/;
const accountStream = /^account-(\d+)$/;

/** Maximum account events, or empty batches, until the position is stored again. */
const eventsBetweenMarks = 10_000;

export interface ErasureFollowing {
  readonly store: EventStore;
  readonly keys: SubjectKeys;
  readonly signal: AbortSignal;
  /** Called with each subject whose key this function destroyed. */
  readonly onDestroyed?: (subject: string) => void;
}

/** Follows `$all` and destroys the keys of erased persons, also after a crash and after a restore of old keys. */
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
    // Live, the position is not stored for every event; a restart reads the few events again.
    if (!found && !hasReachedEnd && seen < eventsBetweenMarks) continue;
    seen = 0;
    isBehind = !batch.caughtUp && isBehind;
    await keys.markErasuresUntil(String(batch.position));
  }
}

/** Ignores damaged events and events of other software, because destroying a key cannot be undone. */
function isErasure(recorded: RecordedEvent): boolean {
  return erasedType.test(recorded.type) && readableEvent(accountCodec, recorded) !== undefined;
}

/** Searches `$all` from the start if the stored position is beyond its end, because it belongs to another store. */
function startOf(mark: Position, last: Position | undefined): Position | "start" {
  return last === undefined || mark > last ? "start" : mark;
}
