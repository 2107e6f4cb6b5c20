import { counted, onOneLine } from "@hostledger/core";

/** Events that the books ignore. */
export interface PassedOver {
  /** Number of events of other software. */
  readonly foreignCount: number;
  /** The first foreign events, such as `account-7@3 (CrmNoteTaken)`. */
  readonly foreign: readonly string[];
  /** Events that staff skipped, with the staff's reason. */
  readonly mended: readonly string[];
}

/** Describes ignored events in sentences; empty if none. */
export function passedOverLines({ foreignCount, foreign, mended }: PassedOver): readonly string[] {
  const left = foreignCount - foreign.length;
  const others = left === 0 ? "" : ` and ${String(left)} more`;
  return [
    ...(foreignCount === 0
      ? []
      : [`${counted(foreignCount, "foreign event")} passed over: ${foreign.join(", ")}${others}.`]),
    ...mended.map((event) => `Passed over by the staff: ${event}`),
  ].map(onOneLine);
}
