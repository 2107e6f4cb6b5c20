import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { hashBytes, leafHash, subtreeRoot, tileWidth } from "../../log/index.ts";

/** Minimum events for which starting a thread is faster. */
const worthAThread = 20_000;

/** Hashes the entries of successive tiles; only the last tile may be incomplete. */
export interface Hasher {
  readonly hash: (entries: readonly Uint8Array[]) => Promise<readonly TileHashes[]>;
  readonly close: () => Promise<void>;
}

/** Entries sent to the thread: all bytes, and the end of each entry. */
export interface HashJob {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Creates a hasher, on a separate thread for large logs, because hashing is a third of verification. */
export function createHasher(events: number): Hasher {
  if (events < worthAThread)
    return { hash: (entries) => Promise.resolve(hashTiles(entries)), close: () => Promise.resolve() };
  const worker = new Worker(new URL("./hashing.worker.ts", import.meta.url));
  const waiting: PromiseWithResolvers<readonly TileHashes[]>[] = [];
  let failure: Error | undefined;
  worker.on("message", (hashes: readonly TileHashes[]) => {
    waiting.shift()?.resolve(hashes);
  });
  worker.on("error", (error) => {
    failure = error instanceof Error ? error : new Error("the hashing thread failed", { cause: error });
    for (const { reject } of waiting.splice(0)) reject(failure);
  });
  return {
    hash(entries) {
      if (failure !== undefined) return Promise.reject(failure);
      const answer = Promise.withResolvers<readonly TileHashes[]>();
      waiting.push(answer);
      const job = jobOf(entries);
      worker.postMessage(job, [job.bytes.buffer, job.ends.buffer]);
      return answer.promise;
    },
    async close() {
      const ended = once(worker, "exit");
      await worker.terminate();
      await ended;
    },
  };
}

function jobOf(entries: readonly Uint8Array[]): HashJob & {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
} {
  const ends = new Uint32Array(entries.length);
  let end = 0;
  entries.forEach(({ length }, at) => {
    end += length;
    ends[at] = end;
  });
  const bytes = new Uint8Array(end);
  entries.forEach((entry, at) => {
    bytes.set(entry, (ends[at] ?? 0) - entry.length);
  });
  return { bytes, ends };
}

export interface TileHashes {
  /** Concatenated leaf hashes, as in a tile of level 0. */
  readonly leaves: Uint8Array;
  /** Root of a complete tile; undefined if incomplete. */
  readonly root: Uint8Array | undefined;
}

export function hashTiles(entries: readonly Uint8Array[]): readonly TileHashes[] {
  const tiles: TileHashes[] = [];
  for (let first = 0; first < entries.length; first += tileWidth)
    tiles.push(hashTile(entries.slice(first, first + tileWidth)));
  return tiles;
}

function hashTile(entries: readonly Uint8Array[]): TileHashes {
  const leaves = new Uint8Array(entries.length * hashBytes);
  entries.forEach((entry, at) => {
    leaves.set(leafHash(entry), at * hashBytes);
  });
  // Copies the root, because a view would transfer its whole buffer between threads.
  const root = entries.length === tileWidth ? Uint8Array.from(subtreeRoot(leaves)) : undefined;
  return { leaves, root };
}
