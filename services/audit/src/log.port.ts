import type { AuditFaultError } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/event-store";
import type { BundleNote } from "@hostledger/transparency";

/** An event as its leaf of the log has it: a recorded event without its place in the store. */
export type LogEvent = Omit<RecordedEvent, "position">;

/** A leaf of the log as the store has it now. */
export interface FoundEntry {
  readonly event: LogEvent;
  /** A clause on what is wrong; undefined where the event is the one that was recorded. */
  readonly damage?: string;
  /** The hash that the log has, where something is wrong. */
  readonly leafHash?: Uint8Array;
}

/** A leaf whose event is not the one that was recorded. */
export interface DamagedEntry extends FoundEntry {
  readonly index: number;
}

/** Where comparing goes on: at this leaf, whose event is the first one after this position. */
export interface LogPlace {
  readonly index: number;
  readonly after: Position | "start";
}

/** What comparing a run of the store with the log came to. */
export interface Comparison {
  /** Undefined at the end of the log. */
  readonly next: LogPlace | undefined;
  /** Leaves that were looked at. */
  readonly compared: number;
  readonly damaged: readonly DamagedEntry[];
}

/** How the log is doing. */
export interface AuditLogHealth {
  /** `failing`: it goes on trying to publish. `stopped`: it needs a person; what was published stays as it is. */
  readonly status: "following" | "failing" | "stopped";
  /** Why it is failing or stopped, in a sentence. */
  readonly sentence?: string;
}

/** What the audit service asks of the transparency log. The log in `log/` is one. */
export interface LogReader {
  /** The last signed checkpoint. */
  checkpoint(): { readonly note: string; readonly size: number; readonly root: Uint8Array };
  /** Verifier keys in the form of C2SP signed notes, the present one first. */
  verifierKeys(): readonly string[];
  /** Reads a tile (C2SP tlog-tiles). */
  readonly readTile: (level: number, index: number, width: number) => Promise<Uint8Array>;
  /** Events by the index of their leaf, from the first one on; fewer at the end of the log. */
  entries(firstIndex: number, count: number): Promise<readonly LogEvent[]>;
  /** The same of a store that was changed: what is not as it was recorded is marked, and what is missing has no stream. */
  entriesAsFound(firstIndex: number, count: number): Promise<readonly FoundEntry[]>;
  /** The index of an event's leaf. */
  indexOf(recorded: RecordedEvent): Promise<number>;
  /** Compares an event of the raw store with its leaf. @throws AuditFaultError it is not the one that was recorded */
  confirm(recorded: RecordedEvent): Promise<void>;
  /** Compares the next events of the store, at most a thousand or so, with their leaves. */
  compareFrom(place: LogPlace): Promise<Comparison>;
  /**
   * Compares the files of the tiles with the last checkpoint, whatever of them is in memory.
   * @returns a sentence on the first file that is missing or was changed; undefined where there is none.
   */
  checkTiles(signal: AbortSignal): Promise<string | undefined>;
  health(): AuditLogHealth;
  /** A sentence for each derived file of the log that was damaged and made anew since the start. */
  readonly mended: () => readonly string[];
  /** Why the log has stopped: what was deleted from the end of a stream shows nowhere else. */
  readonly fault: AuditFaultError | undefined;
  /** How many leaves the log has now; may be more than the last checkpoint's. */
  readonly size: number;
  /** Signs what the log says of a bundle of it, with all its keys. @throws Error the log has lost its state */
  signBundle(bundle: Omit<BundleNote, "origin">): string;
  /** Makes a new key, which signs beside the old one from now on. */
  rotate(): Promise<void>;
  /** Signed checkpoints of the past that were kept, ascending: one an hour in which something came. */
  earlierNotes(): Promise<readonly string[]>;
  /** Name of a log that has lost its state and waits for staff; undefined of one that is there. */
  readonly lost: string | undefined;
  /** Name of a log that goes on and has lost a file of its past; undefined of every other one. */
  damaged(): string | undefined;
  /** Name of a log that has stopped since the store is not the one that it has recorded; undefined of every other one. */
  readonly contradicted: string | undefined;
  /**
   * Makes a log anew, from the store: one that has lost its state or a file, or one that the store contradicts, after staff accepted
   * the store.
   * @throws Error nothing was lost, and nothing contradicts it
   */
  restart(): Promise<void>;
}
