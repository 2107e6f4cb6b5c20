import type { EventStore } from "../event-store.port.ts";
import { eventId } from "../commands/event-id.ts";
import { openEmbeddedEventStore } from "./embedded-event-store.adapter.ts";

/**
 * Process for the durability tests: `node durable-writers.child.ts FILE WRITERS COUNT RUN`. Each writer appends COUNT
 * events to its own stream, one by one, and prints `stored STREAM REVISION ID` after each answer. It prints `refused
 * ERROR` for a refused append and `failure MESSAGE` if the store stops. Node writes to pipes synchronously on POSIX, so
 * each line proves an answer.
 */
const [path = "", writers = "1", count = "1", run = "0"] = process.argv.slice(2);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function lastRevision(store: EventStore, stream: string): Promise<bigint | undefined> {
  for await (const { revision } of store.read(stream, { direction: "backwards", limit: 1 })) return revision;
  return undefined;
}

async function write(store: EventStore, stream: string): Promise<void> {
  let last = await lastRevision(store, stream);
  for (let number = 0; number < Number(count); number += 1) {
    const data = JSON.stringify({ number, filling: "x".repeat(200) });
    const id = eventId(stream, run, number, data);
    const { revision } = await store.append(stream, last ?? "no-stream", [
      { id, type: "Written.v1", data, metadata: "{}" },
    ]);
    print(`stored ${stream} ${String(revision)} ${id}`);
    last = revision;
  }
}

const store = await openEmbeddedEventStore({
  path,
  now: () => "2026-01-02T03:04:05.000006Z",
  onFailure: ({ message }) => {
    print(`failure ${message}`);
  },
});
const names = Array.from({ length: Number(writers) }, (_, writer) => `writer-${String(writer)}`);
const results = await Promise.allSettled(names.map((name) => write(store, name)));
for (const result of results) {
  if (result.status === "rejected")
    print(`refused ${result.reason instanceof Error ? result.reason.name : "?"}`);
}
await store.close();
