/** Stores the folded state of a long stream. A snapshot is only a cache: if damaged, all events are folded again. */
export interface SnapshotCodec<State> {
  /** Version of the stored form. Raise it if `evolve`, the state or the form changes: other versions are ignored. */
  readonly version: number;
  /** Minimum number of events between snapshots. */
  readonly every: number;
  /** Encodes the state in parts. Each part is built on demand in about a millisecond, so that other work gets its turn. */
  encode(state: State): Iterable<string>;
  decoder(): SnapshotDecoder<State>;
}

export interface SnapshotDecoder<State> {
  /** @throws Error if the part differs from the written part. */
  add(part: string): void;
  /** @throws Error if parts are missing. */
  finish(): State;
}
