import { accept, CorruptStreamError, reject, type Decider } from "../kernel/decider.ts";
import type { SequenceEvent } from "./sequence.events.ts";

/** Maximum ids of one block. It bounds how many ids each lost event may have reserved (ADR 0014). */
export const maximumBlockSize = 1_000;

export interface ReserveIdBlock {
  readonly type: "ReserveIdBlock";
  /** Number of ids, from 1 to `maximumBlockSize`. */
  readonly data: { readonly size: number };
}

/** Skips all ids up to `last`. */
export interface SkipIds {
  readonly type: "SkipIds";
  readonly data: { readonly last: number };
}

export interface SequenceState {
  /** The last reserved id; 0 before the first block. */
  readonly last: number;
}

/** Rules of unique, ascending integer ids with gaps (stream `sequence-<name>`). */
export const sequence: Decider<ReserveIdBlock | SkipIds, SequenceState, SequenceEvent> = {
  initialState: { last: 0 },
  decide: (command, { last }) => {
    const end = command.type === "SkipIds" ? command.data.last : last + command.data.size;
    if (command.type === "SkipIds" ? !Number.isSafeInteger(end) : !isBlockSize(command.data.size))
      return reject("validation-failed", "The size of the block is out of range.");
    return end <= last ? accept() : accept({ type: "IdBlockReserved", data: { first: last + 1, last: end } });
  },
  evolve: ({ last }, { type, data }) => {
    if (data.first !== last + 1 || data.last < data.first)
      throw new CorruptStreamError(type, `last ${String(last)}`);
    return { last: data.last };
  },
};

function isBlockSize(size: number): boolean {
  return Number.isInteger(size) && size >= 1 && size <= maximumBlockSize;
}

export const sequenceNames = [
  "account",
  "apikey",
  "auditor",
  "comment",
  "delivery",
  "dnsrecord",
  "domain",
  "invoice",
  "payment",
  "paymentmethod",
  "payout",
  "payoutfile",
  "plan",
  "region",
  "server",
  "ticket",
  "webhook",
] as const;
