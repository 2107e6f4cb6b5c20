import { parentPort } from "node:worker_threads";

import { type HashJob, hashTiles } from "./hasher.ts";

/** Hashes tiles on a separate thread; see `createHasher`. */
parentPort?.on("message", ({ bytes, ends }: HashJob) => {
  const entries = Array.from(ends, (end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
  parentPort?.postMessage(hashTiles(entries));
});
