import { accept, type Decider } from "../kernel/decider.ts";
import type { QuarantineEvent, SkippedEvent } from "./quarantine.events.ts";

/** Staff let a read model go on behind an event. */
export interface SkipEvent {
  readonly type: "SkipEvent";
  readonly data: SkippedEvent;
}

/** What a read model goes on behind, oldest first. */
export interface QuarantineState {
  readonly skipped: readonly SkippedEvent[];
}

/** The rules of a read model's quarantine: an event is skipped once, and stays so. */
export const quarantine: Decider<SkipEvent, QuarantineState, QuarantineEvent> = {
  initialState: { skipped: [] },
  decide: ({ data }, { skipped }) =>
    skipped.some(({ eventId }) => eventId === data.eventId)
      ? accept()
      : accept({ type: "ProjectionEventSkipped", data }),
  evolve: ({ skipped }, { data }) => ({ skipped: [...skipped, data] }),
};
