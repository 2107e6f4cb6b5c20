import { accept, type Command, type Decider } from "../kernel/decider.ts";
import type { MendedEvent, MendingEvent } from "./mending.events.ts";

export type MendStream = Command<"MendStream", Omit<MendedEvent, "mendedAt">>;

/** Skipped events, oldest first. */
export interface MendingState {
  readonly mended: readonly MendedEvent[];
}

/** Rules of skipping unreadable events: an event is skipped once, for ever. */
export const mending: Decider<MendStream, MendingState, MendingEvent> = {
  initialState: { mended: [] },
  decide: ({ data: { at, ...event } }, { mended }) =>
    mended.some(({ eventId }) => eventId === event.eventId)
      ? accept()
      : accept({ type: "StreamMended", data: { ...event, mendedAt: at } }),
  evolve: ({ mended }, { data }) => ({ mended: [...mended, data] }),
};
