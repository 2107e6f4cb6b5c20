import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { syncFolder } from "@hostledger/runtime";

import type { TransferSource } from "./file-lines.ts";

export interface TransferSink {
  /** Resolves when more may follow. */
  write(text: string): Promise<void>;
  /** Makes the complete transfer durable and visible under its final name. */
  complete(): Promise<void>;
  /** Removes everything written. Never throws. */
  discard(): Promise<void>;
}

/**
 * Makes a file that appears only when it is complete and on disk: it grows as `….partial` and is renamed at the end. An
 * older file with the name is then replaced.
 * @throws Error with Node's code (ENOENT, EACCES, EEXIST for a growing file of another export, …).
 */
export async function createFileSink(path: string): Promise<TransferSink> {
  const growing = `${path}.partial`;
  // Readable by its owner only, because it contains the events of all customers.
  const file = await open(growing, "wx", 0o600);
  return {
    write: (text) => file.writeFile(text),
    complete: async () => {
      await file.sync();
      await file.close();
      await rename(growing, path);
      await syncFolder(dirname(path));
    },
    discard: async () => {
      await ignoringFailure(() => file.close());
      await ignoringFailure(() => rm(growing, { force: true }));
    },
  };
}

export function fileSource(path: string): TransferSource {
  return { read: () => createReadStream(path, { highWaterMark: 1_048_576 }) };
}

async function ignoringFailure(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch {
    // An error while removing would hide the original error.
  }
}
