import { placeOf } from "@hostledger/core";
import type { LeftOut, RecordedEvent } from "@hostledger/store";

/** Returns a clause with the reason why an event does not count in its stream. */
export function leftOutClause(
  { revision }: Pick<RecordedEvent, "revision">,
  { error, answer }: LeftOut,
): string {
  if (error.revision !== revision) return `${placeOf(error)} stops its stream before it`;
  return answer === undefined
    ? `${error.reason}; it stops its stream until the staff have it passed over`
    : `${error.reason}; the staff had it passed over: ${answer.reason}`;
}
