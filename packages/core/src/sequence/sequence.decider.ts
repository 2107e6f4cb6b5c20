import { accept, CorruptStreamError, reject, type Decider } from "../kernel/decider.ts";
import type { SequenceEvent } from "./sequence.events.ts";

/** The most ids one block holds. */
export const maximumBlockSize = 1_000_000;

/** Takes the next block of ids. */
export interface ReserveIdBlock {
  readonly type: "ReserveIdBlock";
  /** How many ids, from 1 to `maximumBlockSize`. */
  readonly data: { readonly size: number };
}

/** How far a sequence has been given out. */
export interface SequenceState {
  /** The last id of the last block; 0 before the first. */
  readonly last: number;
}

/** Unique, ascending integer ids with gaps allowed (stream `sequence-<name>`). */
export const sequence: Decider<ReserveIdBlock, SequenceState, SequenceEvent> = {
  initialState: { last: 0 },
  decide: ({ data: { size } }, { last }) =>
    Number.isInteger(size) && size >= 1 && size <= maximumBlockSize
      ? accept({ type: "IdBlockReserved", data: { first: last + 1, last: last + size } })
      : reject("validation-failed", "The size of the block is out of range."),
  evolve: ({ last }, { type, data }) => {
    if (data.first !== last + 1 || data.last < data.first)
      throw new CorruptStreamError(type, `last ${String(last)}`);
    return { last: data.last };
  },
};
