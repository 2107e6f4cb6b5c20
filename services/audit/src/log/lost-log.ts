import type { KeptLog } from "./audit-log.ts";
import type { LostLogError } from "./log-error.ts";

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
