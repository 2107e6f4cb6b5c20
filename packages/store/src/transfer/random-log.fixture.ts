import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import fc from "fast-check";

import { uuidV5 } from "../commands/event-id.ts";
import { openTestStore } from "../embedded/test-store.fixture.ts";
import type { EventStore, RecordedEvent } from "../event-store.port.ts";

const namespace = "7c0f5a0e-52c7-4f0e-9a5c-0d6c1f6f9b11";

/** A folder for the files and stores of a spec; `dispose` removes it. */
export function transferFolder() {
  const { path, remove } = temporaryDirectory();
  const open = new Set<EventStore>();
  let files = 0;
  return {
    file: (): string => join(path, `file-${String((files += 1))}`),
    /** Opens an embedded store whose clock advances by a microsecond per append; a new store unless the path has one. */
    async store(at?: string): Promise<EventStore> {
      files += 1;
      const store = await openTestStore(at ?? join(path, `store-${String(files)}.sqlite`), {
        now: ticking(),
      });
      open.add(store);
      return store;
    },
    async dispose(): Promise<void> {
      await Promise.all([...open].map((store) => store.close()));
      remove();
    },
  };
}

function ticking(): () => string {
  let microseconds = Math.floor(Math.random() * 100_000);
  return () => {
    microseconds += 1;
    return `2026-01-02T03:04:05.${String(microseconds).padStart(6, "0")}Z`;
  };
}

export interface RandomAppend {
  readonly stream: string;
  readonly texts: readonly { readonly data: string; readonly metadata: string }[];
}

const text = fc.oneof(
  fc.json(),
  fc.string({ unit: "grapheme" }),
  fc.constant('{ "spaces" : 1.0,\n"twice":1,"twice":2 }'),
);

/** Random logs of some streams, with texts that are easily damaged. */
export const randomLog: fc.Arbitrary<readonly RandomAppend[]> = fc.array(
  fc.record({
    stream: fc.constantFrom("account-1", "account-2", "domain-ä.example", "registration-7"),
    texts: fc.array(fc.record({ data: text, metadata: text }), { minLength: 1, maxLength: 4 }),
  }),
  { maxLength: 12 },
);

/** Writes a log; the ids derive from the place in the log. */
export async function writeLog(store: EventStore, log: readonly RandomAppend[]): Promise<void> {
  const revisions = new Map<string, bigint>();
  let number = 0;
  for (const { stream, texts } of log) {
    const last = revisions.get(stream);
    const events = texts.map(({ data, metadata }) => {
      number += 1;
      return { id: uuidV5(namespace, String(number)), type: `Type${String(number % 3)}.v1`, data, metadata };
    });
    await store.append(stream, last ?? "no-stream", events);
    revisions.set(stream, (last ?? -1n) + BigInt(events.length));
  }
}

export async function allEvents(store: EventStore): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of store.subscribe({ from: "start" })) {
    events.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return events;
}

/** Wraps a store so that it sets its own time, as EventStoreDB does. */
export function stamping(store: EventStore): EventStore {
  return {
    append: (stream, expected, events) => store.append(stream, expected, events),
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}
