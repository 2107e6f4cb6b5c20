import { categoryOf, type UnreadableEventError } from "@hostledger/core";
import {
  contradictionsIn,
  type CodecOfCategory,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/event-store";

import { verdictOn } from "./event-input.ts";

/**
 * Why an event cannot be read in its stream, or cannot follow the events before it there; undefined where it can, and for an event of
 * other software.
 * @throws what the store throws.
 */
export async function unreadableCauseOf(
  store: Pick<EventStore, "read" | "lineage">,
  event: RecordedEvent,
  codecOf: CodecOfCategory,
): Promise<UnreadableEventError | undefined> {
  const verdict = verdictOn(event, codecOf(categoryOf(event.stream)));
  if (verdict === "foreign") return undefined;
  return verdict === "readable" ? contradictionsIn(store, codecOf).of(event) : verdict;
}
