/**
 * Stores the folded state of a long stream, so that reading starts at the snapshot. A snapshot is only a cache: if it is
 * damaged, the stream is folded from its first event.
 */
export interface SnapshotCodec<State> {
  /** Version of the stored form. Raise it if `evolve`, the state or the form changes: other versions are ignored. */
  readonly version: number;
  /** Minimum number of events between snapshots. */
  readonly every: number;
  /** Encodes the state in parts. Each part is built on demand in about a millisecond, so that other work gets its turn. */
  encode(state: State): Iterable<string>;
  /** Returns a decoder for the parts, in their order. */
  decoder(): SnapshotDecoder<State>;
}

/** Rebuilds a state from its parts. */
export interface SnapshotDecoder<State> {
  /** @throws Error if the part differs from the written part. */
  add(part: string): void;
  /** @throws Error if parts are missing. */
  finish(): State;
}
