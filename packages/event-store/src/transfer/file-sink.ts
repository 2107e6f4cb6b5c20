import { createReadStream } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

import type { TransferSource } from "./file-lines.ts";

/** Takes a transfer as it grows. */
export interface TransferSink {
  /** Resolves when more may come. */
  write(text: string): Promise<void>;
  /** The transfer is whole: makes it durable, and only now puts it where it is looked for. */
  complete(): Promise<void>;
  /** Leaves nothing behind. Never throws. */
  discard(): Promise<void>;
}

/**
 * A file that is there, whole and on disk, or not there: it grows under another name (`….partial`) and is renamed when
 * it is complete. What had the name before is replaced then.
 *
 * @throws Error with Node's code (ENOENT, EACCES, EEXIST for a growing file of another export, …).
 */
export async function createFileSink(path: string): Promise<TransferSink> {
  const growing = `${path}.partial`;
  // The facts of all customers are in it, so it is for its owner only.
  const file = await open(growing, "wx", 0o600);
  return {
    write: (text) => file.writeFile(text),
    complete: async () => {
      await file.sync();
      await file.close();
      await rename(growing, path);
      await syncDirectory(dirname(path));
    },
    discard: async () => {
      await ignoringFailure(() => file.close());
      await ignoringFailure(() => rm(growing, { force: true }));
    },
  };
}

/** A file as the source of an import. */
export function fileSource(path: string): TransferSource {
  return { read: () => createReadStream(path, { highWaterMark: 1_048_576 }) };
}

/** Makes the new name itself survive a power cut. */
async function syncDirectory(path: string): Promise<void> {
  const directory: FileHandle = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function ignoringFailure(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch {
    // What went wrong before this is told; that the rest of it could not be removed would only hide it.
  }
}
