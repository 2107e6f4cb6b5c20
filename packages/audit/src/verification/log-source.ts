import type { LogEvent } from "../log/index.ts";

/** Thrown for an unreadable bundle or a foreign checkpoint; the message is a sentence. */
export class BundleError extends Error {
  override readonly name = "BundleError";
}

export interface SourceEntry {
  /** Bytes to hash. */
  readonly bundled: Uint8Array;
  /** Undefined if the bytes are missing or no event. */
  readonly event: LogEvent | undefined;
  /** Clause on an error of the bytes; undefined if intact or reported before. */
  readonly problem: string | undefined;
  /** Clause on a difference between store and log; undefined if equal. */
  readonly damage?: string;
}

export interface ComputedTile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
  readonly bytes: Uint8Array;
}

/** Hashes of a bundle's files and the signing note. */
export interface Seal {
  /** SHA-256 of `manifest.json`. */
  readonly manifestHash: Uint8Array;
  /** Signed note with that hash; undefined if missing. */
  readonly note: string | undefined;
  /** True if the manifest lists its files; false in version 1. */
  readonly isListed: boolean;
  /** Yields a clause for each missing or changed file. */
  readonly wrongFiles: () => AsyncIterable<string>;
}

/** A log to verify: a bundle or a running instance. */
export interface LogSource {
  /** Signed checkpoint of the log. */
  readonly note: string;
  /** Origin and size stated besides the checkpoint; absent if the source states none. */
  readonly manifest?: { readonly origin: string; readonly size: number };
  /** Signature over the files of a bundle; undefined for other sources. */
  readonly seal?: Seal;
  /** Keys supplied with the log. A forger of the log could supply forged keys. */
  readonly verifierKeys: readonly string[];
  /** Older signed checkpoints supplied with the log. */
  readonly earlierNotes: readonly string[];
  /** Yields the leaves from `first` to before `end` in order. @throws BundleError */
  readonly entries: (first: number, end: number) => AsyncIterable<readonly SourceEntry[]>;
  /** Returns the source's tile; undefined for a source without tiles. @throws BundleError */
  readonly tile: ((level: number, index: number, width: number) => Promise<Uint8Array>) | undefined;
  /** Checks the file that the log is computed from: a clause per fault. Absent without such a file. */
  readonly fileFaults?: () => Promise<readonly string[]>;
  /** Returns the read model's balances in cents by account id; undefined if the source has none. */
  readonly shownBalances: (() => Promise<ReadonlyMap<number, bigint>>) | undefined;
}
