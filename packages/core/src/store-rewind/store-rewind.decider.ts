import { assertNever } from "../kernel/assert-never.ts";
import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { SequenceEnd, StoreRewind, StoreRewindEvent } from "./store-rewind.events.ts";

/** A process reports an event that the store lacks. */
export type NoticeStoreRewind = Command<"NoticeStoreRewind", Omit<StoreRewind, "noticedAt">>;

/** Staff, or a restore, accept the store as it is. */
export type AcceptStoreRewind = Command<
  "AcceptStoreRewind",
  {
    readonly reason: string;
    /** The id that each sequence continues after. */
    readonly sequences: readonly SequenceEnd[];
    /** True where nothing has to be open: a restore, or staff who know what no process knows. */
    readonly isForced: boolean;
  }
>;

/** What can be said about stores that were put back. */
export type StoreRewindCommand = NoticeStoreRewind | AcceptStoreRewind;

/** What is open, and how often a store was accepted. */
export interface StoreRewindState {
  /** Notices that nobody has accepted, oldest first. */
  readonly open: readonly StoreRewind[];
  /** The number of the present series of documents; 0 before the first acceptance. */
  readonly series: number;
}

/** Notices that are kept apart: every process reports once, and further ones say nothing new. */
export const openRewindLimit = 100;

/** The rules of stores that were put back (stream `rewind-all`): one acceptance covers everything that is open. */
export const storeRewind: Decider<StoreRewindCommand, StoreRewindState, StoreRewindEvent> = {
  initialState: { open: [], series: 0 },
  decide,
  evolve,
};

function decide(command: StoreRewindCommand, { open, series }: StoreRewindState): Decision<StoreRewindEvent> {
  switch (command.type) {
    case "NoticeStoreRewind": {
      const { at, ...rewind } = command.data;
      const isKnown = open.some(({ rewindId }) => rewindId === rewind.rewindId);
      if (isKnown || open.length >= openRewindLimit) return accept();
      return accept({ type: "StoreRewindNoticed", data: { ...rewind, noticedAt: at } });
    }
    case "AcceptStoreRewind": {
      const { at, isForced, reason, sequences } = command.data;
      if (open.length === 0 && !isForced) return accept();
      const rewindIds = open.map(({ rewindId }) => rewindId);
      return accept({
        type: "StoreRewindAccepted",
        data: { rewindIds, series: series + 1, sequences: [...sequences], reason, acceptedAt: at },
      });
    }
    default:
      return assertNever(command);
  }
}

function evolve(state: StoreRewindState, event: StoreRewindEvent): StoreRewindState {
  switch (event.type) {
    case "StoreRewindNoticed":
      return { ...state, open: [...state.open, event.data] };
    case "StoreRewindAccepted": {
      const { rewindIds, series } = event.data;
      return { open: state.open.filter(({ rewindId }) => !rewindIds.includes(rewindId)), series };
    }
    default:
      return assertNever(event);
  }
}
