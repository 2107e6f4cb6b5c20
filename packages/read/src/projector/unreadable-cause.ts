import { categoryOf, type UnreadableEventError } from "@hostledger/core";
import {
  contradictionsIn,
  type CodecOfCategory,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/store";

import { verdictOn } from "./event-input.ts";

/**
 * Returns the reason why an event cannot be read, or cannot follow earlier events of its stream; undefined if it can, or
 * if it is foreign.
 * @throws any error of the store.
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
