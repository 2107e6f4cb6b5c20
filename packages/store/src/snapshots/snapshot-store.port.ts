/** The event after which the state of a snapshot was taken. */
export interface SnapshotHead {
  /** Version of the stored form; other versions are ignored. */
  readonly version: number;
  readonly revision: bigint;
  readonly position: bigint;
  /** Id of the event at that revision. Another id means that the store was replaced. */
  readonly eventId: string;
}

export interface StoredSnapshot extends SnapshotHead {
  /** The parts in order. The iteration throws if they are damaged. */
  readonly parts: AsyncIterable<string>;
}

/** Stores snapshots of long streams. As a cache it may lose any of them at any time; the streams are the truth. */
export interface SnapshotStore {
  load(stream: string): Promise<StoredSnapshot | undefined>;
  /** Replaces the stream's snapshot after all parts are stored. Yields to other work between two parts. */
  save(stream: string, head: SnapshotHead, parts: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}
