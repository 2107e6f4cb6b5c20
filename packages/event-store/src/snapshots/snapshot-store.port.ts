/** Which state is kept: the one after this event. */
export interface SnapshotHead {
  /** Version of the form; another one is not read. */
  readonly version: number;
  readonly revision: bigint;
  readonly position: bigint;
  /** Id of the event at that revision: a stream without it is another one, of a store that was replaced. */
  readonly eventId: string;
}

/** A state as it was kept. */
export interface StoredSnapshot extends SnapshotHead {
  /** The parts in order. The iteration throws when they are not what was saved. */
  readonly parts: AsyncIterable<string>;
}

/** Keeps states of long streams. A cache: it may lose any of them at any time, and is never right where a stream is not. */
export interface SnapshotStore {
  load(stream: string): Promise<StoredSnapshot | undefined>;
  /** Replaces the stream's snapshot once all parts are stored. Others get their turn between two parts. */
  save(stream: string, head: SnapshotHead, parts: Iterable<string>): Promise<void>;
  /** Gives up what is being saved. */
  close(): Promise<void>;
}
