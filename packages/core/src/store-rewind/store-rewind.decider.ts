import { assertNever } from "../kernel/assert-never.ts";
import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import {
  seriesName,
  type SequenceEnd,
  type StoreRewind,
  type StoreRewindEvent,
} from "./store-rewind.events.ts";

/** A process reports an event that is missing from the store. */
export type NoticeStoreRewind = Command<"NoticeStoreRewind", Omit<StoreRewind, "noticedAt">>;

/** Staff or a restore accept the store in its present state. */
export type AcceptStoreRewind = Command<
  "AcceptStoreRewind",
  {
    readonly reason: string;
    readonly sequences: readonly SequenceEnd[];
    /** Last series that may have begun in the lost part; 0 for none. */
    readonly knownSeries: number;
    /** True to accept a store without an open notice: by a restore, or by staff who noticed the loss themselves. */
    readonly isForced: boolean;
  }
>;

export type StoreRewindCommand = NoticeStoreRewind | AcceptStoreRewind;

export interface StoreRewindState {
  /** Notices not accepted yet, oldest first. */
  readonly open: readonly StoreRewind[];
  /** Number of the present document series; 0 before the first acceptance. */
  readonly series: number;
}

/** Maximum open notices. Each process reports once, so further notices add no information. */
export const openRewindLimit = 100;

/** Rules of rewound stores (stream `rewind-all`): an acceptance covers all open notices. */
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
      const { at, isForced, knownSeries, reason, sequences } = command.data;
      if (open.length === 0 && !isForced) return accept();
      const rewindIds = open.map(({ rewindId }) => rewindId);
      // The copy may be older than an acceptance, whose series has given out numbers.
      const reported = open
        .flatMap((rewind) => rewind.sequences)
        .filter(({ sequence }) => sequence === seriesName)
        .map(({ last }) => last);
      return accept({
        type: "StoreRewindAccepted",
        data: {
          rewindIds,
          series: Math.max(series, knownSeries, ...reported) + 1,
          sequences: [...sequences],
          reason,
          acceptedAt: at,
        },
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
