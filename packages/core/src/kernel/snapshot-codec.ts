/**
 * How the state of a long stream is kept, so that it need not be folded from the first event. What is kept is a cache,
 * never a fact: whatever is wrong with it, the stream is folded.
 */
export interface SnapshotCodec<State> {
  /** To be raised whenever `evolve`, the state or this form changes: what another version has kept is not used. */
  readonly version: number;
  /** A state is kept after so many events at the earliest. */
  readonly every: number;
  /** The state in parts. Each is made when it is asked for and takes about a millisecond, so that others get their turn. */
  encode(state: State): Iterable<string>;
  /** Takes the parts one after the other. */
  decoder(): SnapshotDecoder<State>;
}

/** Puts a state together from its parts. */
export interface SnapshotDecoder<State> {
  /** @throws Error the part is not what was written. */
  add(part: string): void;
  /** @throws Error parts are missing. */
  finish(): State;
}
