import type { AuditFaultError } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/store";
import type { BundleNote } from "@hostledger/audit/log";

/** An event as in its leaf of the log: without its position in the store. */
export type LogEvent = Omit<RecordedEvent, "position">;

/** A leaf's event as the store has it now. */
export interface FoundEntry {
  readonly event: LogEvent;
  /** A clause about the damage; undefined if the event is unchanged. */
  readonly damage?: string;
  /** The hash in the log, if the event is damaged. */
  readonly leafHash?: Uint8Array;
}

/** A leaf whose event in the store differs from the recorded one. */
export interface DamagedEntry extends FoundEntry {
  readonly index: number;
}

/** The next leaf to compare; its event is the first one after this position. */
export interface LogPlace {
  readonly index: number;
  readonly after: Position | "start";
}

/** The result of a comparison of some events with the log. */
export interface Comparison {
  /** Undefined at the end of the log. */
  readonly next: LogPlace | undefined;
  readonly compared: number;
  readonly damaged: readonly DamagedEntry[];
}

export interface AuditLogHealth {
  /** `failing`: it keeps trying to publish. `stopped`: a person must act; published files stay unchanged. */
  readonly status: "following" | "failing" | "stopped";
  /** The reason for failing or stopped, in a sentence. */
  readonly sentence?: string;
}

/** The transparency log for the audit service. The log in `log/` implements it. */
export interface LogReader {
  checkpoint(): { readonly note: string; readonly size: number; readonly root: Uint8Array };
  /** Verifier keys in the form of C2SP signed notes, the present one first. */
  verifierKeys(): readonly string[];
  /** Reads a tile (C2SP tlog-tiles). */
  readonly readTile: (level: number, index: number, width: number) => Promise<Uint8Array>;
  /** Events by the index of their leaf, from the first one on; fewer at the end of the log. */
  entries(firstIndex: number, count: number): Promise<readonly LogEvent[]>;
  /** As `entries`, for a changed store: changed events are marked, and missing events have no stream. */
  entriesAsFound(firstIndex: number, count: number): Promise<readonly FoundEntry[]>;
  indexOf(recorded: RecordedEvent): Promise<number>;
  /** Compares an event of the raw store with its leaf. @throws AuditFaultError if it differs from the recorded event */
  confirm(recorded: RecordedEvent): Promise<void>;
  /** Compares the next events of the store, about a thousand at most, with their leaves. */
  compareFrom(place: LogPlace): Promise<Comparison>;
  /**
   * Compares the files of the tiles with the last checkpoint, ignoring tiles in memory.
   * @returns a sentence about the first missing or changed file; undefined if there is none.
   */
  checkTiles(signal: AbortSignal): Promise<string | undefined>;
  health(): AuditLogHealth;
  /** Returns a sentence for each damaged derived file of the log that was rebuilt since the start. */
  readonly mended: () => readonly string[];
  /** Reason why the log stopped. Events deleted from the end of a stream are visible only here. */
  readonly fault: AuditFaultError | undefined;
  /** Number of leaves now; may exceed the last checkpoint's. */
  readonly size: number;
  /** Signs a statement about a bundle of the log with all keys. @throws Error the log has lost its state */
  signBundle(bundle: Omit<BundleNote, "origin">): string;
  /** Makes a new key, which signs together with the old ones from now on. */
  rotate(): Promise<void>;
  /** Stored signed checkpoints of the past, ascending: at most one per hour. */
  earlierNotes(): Promise<readonly string[]>;
  /** Name of a log that has lost its state and waits for staff; undefined otherwise. */
  readonly lost: string | undefined;
  /** Name of a running log that lost a file of its past; undefined otherwise. */
  damaged(): string | undefined;
  /** Name of a log that stopped because the store contradicts it; undefined otherwise. */
  readonly contradicted: string | undefined;
  /**
   * Rebuilds a log from the store, after it lost its state or a file, or after staff accepted a store that contradicts
   * it.
   * @throws Error nothing was lost, and nothing contradicts the log
   */
  restart(): Promise<void>;
}
