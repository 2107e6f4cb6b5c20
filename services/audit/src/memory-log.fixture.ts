import { createHash } from "node:crypto";

import type { EventStore, RecordedEvent } from "@hostledger/store";
import { realTiming } from "@hostledger/runtime";
import { bundledEntry, encodeEntry, leafHash } from "@hostledger/audit/log";

import { notRecorded } from "./log/leaf.ts";
import type { LogEvent, LogReader } from "./log.port.ts";

/** A log in memory for specs. Its checkpoint's root proves nothing; the log's own specs test proofs. */
export interface MemoryLog extends LogReader {
  /** Waits until the log has all stored events. */
  caughtUp(): Promise<void>;
  readonly reads: number;
  close(): Promise<void>;
}

export function openMemoryLog(store: EventStore): MemoryLog {
  const events: RecordedEvent[] = [];
  const stopping = new AbortController();
  const keys = ["hostledger/spec+00000001+key"];
  let reads = 0;
  const following = (async () => {
    for await (const batch of store.subscribe({ from: "start", signal: stopping.signal }))
      events.push(...batch.events);
  })();
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await realTiming.sleep(2);
  };
  const root = (): Uint8Array => createHash("sha256").update(String(events.length)).digest();
  return {
    get size() {
      return events.length;
    },
    get reads() {
      return reads;
    },
    checkpoint: () => ({ note: `spec\n${String(events.length)}\n`, size: events.length, root: root() }),
    verifierKeys: () => keys,
    readTile: (level, index, width) => {
      if (level > 0) throw new Error("a log in memory has one level of tiles: 256 events at most");
      const leaves = events.slice(index * 256, index * 256 + width);
      return Promise.resolve(
        Buffer.concat(leaves.map((event) => leafHash(bundledEntry(encodeEntry(asLeaf(event)))))),
      );
    },
    entries: (first, count) => {
      reads += 1;
      return Promise.resolve(events.slice(first, first + count).map(asLeaf));
    },
    entriesAsFound: (first, count) => {
      reads += 1;
      return Promise.resolve(events.slice(first, first + count).map((event) => ({ event: asLeaf(event) })));
    },
    async indexOf({ id }) {
      await until(() => events.some((event) => event.id === id));
      return events.findIndex((event) => event.id === id);
    },
    signBundle: ({ size, manifestHash }) => `${String(size)} ${Buffer.from(manifestHash).toString("hex")}`,
    async confirm(recorded) {
      await until(() => events.some(({ id }) => id === recorded.id));
      const kept = events.find(({ id }) => id === recorded.id);
      if (kept?.data !== recorded.data) throw notRecorded(recorded);
    },
    rotate: () => {
      keys.unshift("hostledger/spec+00000002+key");
      return Promise.resolve();
    },
    earlierNotes: () => Promise.resolve([]),
    mended: () => [],
    health: () => ({ status: "following" }),
    compareFrom: ({ index }) =>
      Promise.resolve({ next: undefined, compared: events.length - index, damaged: [] }),
    checkTiles: () => Promise.resolve(undefined),
    damaged: () => undefined,
    lost: undefined,
    fault: undefined,
    contradicted: undefined,
    restart: () => Promise.reject(new Error("nothing was lost")),
    async caughtUp() {
      const last = await store.lastPosition();
      await until(() => (events.at(-1)?.position ?? 0n) >= (last ?? 0n));
    },
    async close() {
      stopping.abort();
      await following;
    },
  };
}

function asLeaf({ stream, revision, id, type, time, data, metadata }: RecordedEvent): LogEvent {
  return { stream, revision, id, type, time, data, metadata };
}
