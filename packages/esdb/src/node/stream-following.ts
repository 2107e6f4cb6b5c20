import type { EventStore, RecordedEvent } from "@hostledger/store";

import type { Begin } from "../codec/read-request.codec.ts";
import { streamDeleted } from "../codec/refusal.ts";
import { tombstoneType } from "../codec/wire-values.codec.ts";
import type { LinkStreams } from "./link-streams.ts";
import type { StreamEventsReader } from "./stream-events.ts";
import type { StreamReading } from "./stream-reading.ts";

/** Events of the followed stream in order; `caughtUp` if there are no more at the moment. */
export interface FollowedRun {
  readonly events: readonly RecordedEvent[];
  readonly caughtUp: boolean;
}

export interface StreamSources {
  readonly store: EventStore;
  readonly events: StreamEventsReader;
  readonly reading: StreamReading;
  readonly links: LinkStreams;
}

/**
 * Follows one stream: reads its events, then follows the log from its end before the read. No event is missed between
 * the two, and repeats are recognised by their revision.
 * @param from events after this revision (exclusive).
 * @throws Refusal stream deleted, after the tombstone was returned.
 */
export async function* followStream(
  sources: StreamSources,
  stream: string,
  from: Begin,
  signal: AbortSignal,
): AsyncGenerator<FollowedRun, void, undefined> {
  const links = sources.links.follow(stream, from, signal);
  if (links === undefined) yield* followStored(sources, stream, from, signal);
  else for await (const run of links) yield { events: run.links, caughtUp: run.caughtUp };
}

async function* followStored(
  { store, events, reading }: StreamSources,
  stream: string,
  from: Begin,
  signal: AbortSignal,
): AsyncGenerator<FollowedRun, void, undefined> {
  const end = (await store.lastPosition()) ?? 0n;
  const last = (await events.last(stream))?.revision ?? -1n;
  let seen = startRevision(from, last);
  const known = await events.of(stream);
  if (from !== "end" && last >= 0n && !known.softDeleted) {
    const what = { from: seen + 1n, backwards: false, limit: Number.MAX_SAFE_INTEGER };
    for await (const events of reading.visible(stream, known, what)) {
      seen = events.at(-1)?.revision ?? seen;
      yield { events, caughtUp: false };
    }
  }
  const after = end === 0n ? "start" : end;
  for await (const batch of store.subscribe({ from: after, streamPrefixes: [stream], signal })) {
    const since = seen;
    const events = batch.events.filter((event) => event.stream === stream && event.revision > since);
    seen = events.at(-1)?.revision ?? seen;
    yield { events, caughtUp: batch.caughtUp };
    if (events.at(-1)?.type === tombstoneType) throw streamDeleted(stream);
  }
}

function startRevision(from: Begin, last: bigint): bigint {
  if (from === "start") return -1n;
  return from === "end" ? last : from;
}
