import type { RecordedEvent } from "@hostledger/store";

import { compileFilter } from "./event-filter.ts";
import { allSource, type StoredGroup } from "./persistent-settings.codec.ts";
import { followStream, type StreamSources } from "./stream-following.ts";

/** Events of a group in order, and the position up to which the source was read, if known. */
export interface GroupRun {
  readonly events: readonly RecordedEvent[];
  readonly upTo: bigint | undefined;
}

/** Follows a group's source: one stream, or the log behind the group's filter. `after` is exclusive. */
export async function* followGroup(
  { source, filter: request }: StoredGroup,
  sources: StreamSources,
  after: bigint,
  signal: AbortSignal,
): AsyncGenerator<GroupRun, void, undefined> {
  if (source !== allSource) {
    const from = after < 0n ? "start" : after;
    for await (const { events } of followStream(sources, source, from, signal))
      yield { events, upTo: undefined };
    return;
  }
  const matches = compileFilter(request)?.matches ?? isNoGroups;
  const from = after <= 0n ? "start" : after;
  for await (const { events, position } of sources.store.subscribe({ from, signal })) {
    yield { events: events.filter(matches), upTo: position };
  }
}

/** Groups never receive the groups' own state events. */
function isNoGroups({ stream }: RecordedEvent): boolean {
  return !stream.startsWith("$persistentsubscription-");
}

/** Place of the event in the source: its revision in a stream, its position in the log. */
export function placeOf({ source }: StoredGroup, event: RecordedEvent): bigint {
  return source === allSource ? event.position : event.revision;
}
