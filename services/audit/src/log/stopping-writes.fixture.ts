import type { LogFiles } from "./log-files.ts";

/** State of the write at which the process stops. */
export type StoppedWrite = "before" | "torn" | "after";

/** Files of a process that stops at one of its writes. */
export interface StoppingFiles {
  readonly wrap: (files: LogFiles) => LogFiles;
  /** True after the stop; nothing is written from then on. */
  readonly stopped: () => boolean;
}

/** @param stopAt number of the write, from 1. */
export function stoppingFiles(stopAt: number, left: StoppedWrite): StoppingFiles {
  let writes = 0;
  async function write(whole: () => Promise<void>, half: () => Promise<void>): Promise<void> {
    writes += 1;
    if (writes < stopAt) {
      await whole();
      return;
    }
    if (writes === stopAt && left === "torn") await half();
    if (writes === stopAt && left === "after") await whole();
    throw new Error("the process was stopped");
  }
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    stopped: () => writes >= stopAt,
    wrap: (files) => ({
      ...files,
      write: (path, bytes) =>
        write(
          () => files.write(path, bytes),
          () => files.write(path, bytes.subarray(0, bytes.length / 2)),
        ),
      patch: (path, pieces) =>
        write(
          () => files.patch(path, pieces),
          () => files.patch(path, pieces.slice(0, pieces.length / 2)),
        ),
      syncNames: (paths) => write(() => files.syncNames(paths), nothing),
      // A replacement is never half visible; a stop leaves the new file beside the old one.
      replace: (path, content, mode) =>
        write(
          () => files.replace(path, content, mode),
          () => files.write(`${path}.new`, Buffer.from(content.slice(0, 10))),
        ),
      remove: (path) => write(() => files.remove(path), nothing),
    }),
  };
}
