import type { LogFiles } from "./log-files.ts";

/** The folder of earlier checkpoints, each in a file named after its size. */
export const historyFolder = "checkpoints";

const hourMs = 3_600_000;
const checkpointMode = 0o644;

/** Past checkpoints, at most one per hour, with which a later log must be consistent. */
export interface CheckpointHistory {
  /** Stores a checkpoint if it is the first one of its hour. */
  keep(size: number, note: string): Promise<void>;
  /** The sizes of the stored checkpoints, ascending. */
  sizes(): Promise<readonly number[]>;
  read(size: number): Promise<string | undefined>;
}

/** The history in its files. @param epochMilliseconds returns the present time */
export function checkpointHistory(files: LogFiles, epochMilliseconds: () => number): CheckpointHistory {
  let keptHour: number | undefined;

  async function sizes(): Promise<readonly number[]> {
    const names = await files.list(historyFolder);
    return names
      .filter((name) => /^[1-9]\d{0,15}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** Returns the hour of the last stored checkpoint; after a restart, from its file. */
  async function lastHour(): Promise<number | undefined> {
    const last = (await sizes()).at(-1);
    const keptMs =
      last === undefined ? undefined : await files.modifiedMs(`${historyFolder}/${String(last)}`);
    return keptMs === undefined ? undefined : Math.floor(keptMs / hourMs);
  }

  return {
    sizes,
    async keep(size, note) {
      const hour = Math.floor(epochMilliseconds() / hourMs);
      if (size === 0) return;
      keptHour ??= await lastHour();
      if (hour === keptHour) return;
      await files.replace(`${historyFolder}/${String(size)}`, note, checkpointMode);
      keptHour = hour;
    },
    async read(size) {
      const content = await files.read(`${historyFolder}/${String(size)}`);
      return content === undefined ? undefined : Buffer.from(content).toString("utf8");
    },
  };
}
