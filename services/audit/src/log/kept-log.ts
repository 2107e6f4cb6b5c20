import type { LogReader } from "../log.port.ts";
import type { CheckpointHistory } from "./checkpoint-history.ts";
import type { LostLogError } from "./log-error.ts";

/** The log of this process, with its history. */
export interface AuditLog extends LogReader {
  readonly history: CheckpointHistory;
  /** Resolves when the log has read the whole store once, has stopped, or was closed. */
  ready(): Promise<void>;
  /** Distance to the end of the store, in its positions; 0 while the log follows live events. */
  behind(): Promise<bigint>;
  /** Publishes the last leaves and releases the directory. */
  close(): Promise<void>;
}

/** A log with open files. `origin` is its name. */
export type KeptLog = Omit<AuditLog, "restart" | "contradicted"> & { readonly origin: string };

/** Makes a log that has lost its state: every call throws that error. */
export function lostLog(error: LostLogError, origin: string): KeptLog {
  const refuse = (): never => {
    throw error;
  };
  return {
    lost: origin,
    fault: error,
    origin,
    get history() {
      return refuse();
    },
    get size() {
      return refuse();
    },
    checkpoint: refuse,
    verifierKeys: refuse,
    readTile: refuse,
    entries: refuse,
    entriesAsFound: refuse,
    indexOf: refuse,
    confirm: refuse,
    compareFrom: refuse,
    checkTiles: () => Promise.resolve(undefined),
    damaged: () => undefined,
    mended: () => [],
    signBundle: refuse,
    rotate: refuse,
    earlierNotes: refuse,
    ready: () => Promise.resolve(),
    health: () => ({ status: "stopped", sentence: error.message }),
    behind: refuse,
    close: () => Promise.resolve(),
  };
}
