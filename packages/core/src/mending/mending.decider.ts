import { accept, type Command, type Decider } from "../kernel/decider.ts";
import type { MendedEvent, MendingEvent } from "./mending.events.ts";

/** Staff have an event passed over that cannot be read. */
export type MendStream = Command<"MendStream", Omit<MendedEvent, "mendedAt">>;

/** What a stream goes on without, oldest first. */
export interface MendingState {
  readonly mended: readonly MendedEvent[];
}

/** The rules of mending a stream: an event is passed over once, and stays so. */
export const mending: Decider<MendStream, MendingState, MendingEvent> = {
  initialState: { mended: [] },
  decide: ({ data: { at, ...event } }, { mended }) =>
    mended.some(({ eventId }) => eventId === event.eventId)
      ? accept()
      : accept({ type: "StreamMended", data: { ...event, mendedAt: at } }),
  evolve: ({ mended }, { data }) => ({ mended: [...mended, data] }),
};
