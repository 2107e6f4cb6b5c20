import { DatabaseSync } from "node:sqlite";

import { serveParent } from "../harness/child.ts";
import { watchResidentMemory } from "./peak-memory.ts";
import type { Pass } from "./replay.ts";

/** The least that any replay must do: read every event of the file in order, and parse it. `bare-read.child.ts FILE`. */
const [path = ""] = process.argv.slice(2);
const peak = watchResidentMemory();
const database = new DatabaseSync(path, { readOnly: true });
const select = database.prepare(
  `SELECT e.position, e.revision, e.id, e.type, e.time, e.data, e.metadata, s.name AS stream
   FROM events e JOIN streams s ON s.id = e.stream_id ORDER BY e.position`,
);

serveParent(() => Promise.resolve(readOnce()));

function readOnce(): Pass {
  const startMs = performance.now();
  let events = 0;
  for (const { data } of select.iterate()) {
    JSON.parse(String(data));
    events += 1;
  }
  return { seconds: (performance.now() - startMs) / 1_000, events, peakBytes: peak() };
}
