import type { LogEvent } from "@hostledger/transparency";

/** One leaf as it was read. */
export interface SourceEntry {
  /** What is hashed. */
  readonly bundled: Uint8Array;
  /** Undefined where the bytes are no event, or where there are none. */
  readonly event: LogEvent | undefined;
  /** A clause on what is wrong with the bytes; undefined where nothing is, or where an entry before told it. */
  readonly problem: string | undefined;
  /** A clause on how the store that was read differs from its log here; undefined where it does not. */
  readonly damage?: string;
}

/** A tile that came out of the leaves, to be compared with the one that the source holds. */
export interface ComputedTile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
  readonly bytes: Uint8Array;
}

/** The hashes of a bundle's files, and the note that signs them. */
export interface Seal {
  /** SHA-256 of the bytes of `manifest.json`. */
  readonly manifestHash: Uint8Array;
  /** Signed note with that hash; undefined where there is none. */
  readonly note: string | undefined;
  /** Whether the manifest lists its files: that of version 1 does not. */
  readonly isListed: boolean;
  /** A clause on each file that is missing or another one than the manifest lists. */
  readonly wrongFiles: () => AsyncIterable<string>;
}

/** A log to verify: a bundle, or a running instance. */
export interface LogSource {
  /** Signed checkpoint of the log. */
  readonly note: string;
  /** How many events the source says to have, where it says so beside its checkpoint. */
  readonly manifest?: { readonly origin: string; readonly size: number };
  /** What covers the files around the log; undefined for a source that is no bundle. */
  readonly seal?: Seal;
  /** The keys that come with the log; whoever forged the log forged these too. */
  readonly verifierKeys: readonly string[];
  /** Older signed checkpoints that came with the log. */
  readonly earlierNotes: readonly string[];
  /** Reads the leaves from `first` to before `end`, in order, in pieces. @throws BundleError */
  readonly entries: (first: number, end: number) => AsyncIterable<readonly SourceEntry[]>;
  /** The tile that the source holds; undefined for a source that has no tiles of its own. @throws BundleError */
  readonly tile: ((level: number, index: number, width: number) => Promise<Uint8Array>) | undefined;
  /** Looks at the file that the log is computed from: a clause for each fault. Absent where there is none to look at. */
  readonly fileFaults?: () => Promise<readonly string[]>;
  /** What the read model shows, in cents by account id; undefined where the source does not tell. */
  readonly shownBalances: (() => Promise<ReadonlyMap<number, bigint>>) | undefined;
}
