import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { decodeEntry, entriesPath, leafHash, parseEntryBundle, tileWidth } from "@hostledger/audit/log";
import { readBundle } from "@hostledger/audit/verification";

import { serveParent } from "../harness/child.ts";
import { watchResidentMemory } from "./peak-memory.ts";
import type { Pass } from "./replay.ts";

/** The least that any verification must do: read every event, hash it and parse it. `bare-verify.child.ts DIRECTORY`. */
const [directory = "."] = process.argv.slice(2);
const peak = watchResidentMemory();

serveParent(async (): Promise<Pass> => {
  const startMs = performance.now();
  const { size } = (await readBundle(directory)).manifest;
  let events = 0;
  while (events < size) {
    const path = entriesPath(events / tileWidth, Math.min(tileWidth, size - events));
    for (const entry of parseEntryBundle(await readFile(join(directory, path)))) {
      leafHash(entry);
      JSON.parse(decodeEntry(entry).data);
      events += 1;
    }
  }
  return { seconds: (performance.now() - startMs) / 1_000, events, peakBytes: peak() };
});
