/** A block of integer ids was taken for use by one process; ids of a block that are never used stay gaps. */
export interface IdBlockReserved {
  readonly type: "IdBlockReserved";
  readonly data: { readonly first: number; readonly last: number };
}

/** Everything that happens to a sequence of ids. */
export type SequenceEvent = IdBlockReserved;
