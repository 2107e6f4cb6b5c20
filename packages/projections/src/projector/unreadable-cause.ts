import type { UnreadableEventError } from "@hostledger/core";
import type { RecordedEvent } from "@hostledger/event-store";

import { categoryOf, verdictOn, type CodecOfCategory } from "./event-input.ts";

/** Why an event cannot be read in its stream; undefined where it can be, and for an event of other software. */
export function unreadableCauseOf(
  event: RecordedEvent,
  codecOf: CodecOfCategory,
): UnreadableEventError | undefined {
  const verdict = verdictOn(event, codecOf(categoryOf(event.stream)));
  return typeof verdict === "string" ? undefined : verdict;
}
