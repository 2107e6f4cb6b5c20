import { join } from "node:path";

import type { EventStore } from "@hostledger/store";
import { collect, listen, newEvents } from "@hostledger/store/testing";
import { realTiming } from "@hostledger/runtime/async";
import { directoryOfTest, freePort } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";
import { startNodeProcess, type NodeProcess } from "./node-process.fixture.ts";

/** Durations for which a server is unreachable, and reachable in between, in milliseconds. */
export interface Troubles {
  readonly frozenMs: number;
  readonly awayMs: number;
  readonly restMs: number;
  /** After which an append counts as unanswered: less than a server is frozen. */
  readonly answerMs: number;
}

let folder = "";
let server: NodeProcess;
let store: EventStore;

async function start(port: number): Promise<void> {
  server = await startNodeProcess(join(folder, "events.sqlite"), port);
}

/** Runs writers on separate streams until they are stopped; returns the acknowledged events. */
function writeUntil(stopped: () => boolean): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      const ids: string[] = [];
      while (!stopped()) {
        const events = newEvents(2);
        const expected = ids.length === 0 ? "no-stream" : BigInt(ids.length - 1);
        const { revision } = await store.append(`account-${String(writer)}`, expected, events);
        ids.push(...events.map(({ id }) => id));
        expect(revision).toBe(BigInt(ids.length - 1));
      }
      return ids;
    }),
  );
}

async function expectHeardAndStored(written: readonly (readonly string[])[], heard: ReadonlySet<string>) {
  for (const [writer, ids] of written.entries()) {
    const stored = await collect(store.read(`account-${String(writer)}`));
    expect(stored.map(({ id }) => id)).toEqual(ids);
    expect(ids.filter((id) => !heard.has(id))).toEqual([]);
  }
}

const troubles = ({
  frozenMs,
  awayMs,
  restMs,
}: Troubles): readonly (readonly [string, () => Promise<void>])[] => [
  [
    "is frozen, twice",
    async () => {
      for (let time = 0; time < 2; time += 1) {
        server.process.kill("SIGSTOP");
        await realTiming.sleep(frozenMs);
        server.process.kill("SIGCONT");
        await realTiming.sleep(restMs);
      }
    },
  ],
  [
    "is killed and started again, twice",
    async () => {
      for (let time = 0; time < 2; time += 1) {
        await server.kill();
        await realTiming.sleep(awayMs);
        await start(server.port);
        await realTiming.sleep(restMs);
      }
    },
  ],
];

/** The cases of a server that is out of reach for so long. */
export function describeFrozenServer(times: Troubles): void {
  const { answerMs } = times;
  beforeEach(async () => {
    folder = directoryOfTest();
    // The server is killed and restarted on its port, while others look for free ports.
    await start(await freePort());
    store = await openEventStoreDb({
      connectionString: `esdb://127.0.0.1:${String(server.port)}?tls=false`,
      limits: { answerMs, overallMs: 120_000 },
    });
  });
  afterEach(async () => {
    await store.close();
    await server.kill();
  });

  describe("a server in a process of its own, under load", () => {
    it.each(troubles(times))(
      "%s: nothing acknowledged is lost, and nothing is stored or received twice",
      async (_, trouble) => {
        let stopped = false;
        let count = Infinity;
        const heard = new Set<string>();
        const listening = listen(
          store.subscribe({ from: "start", streamPrefixes: ["account-"] }),
          ({ batches, events }) => {
            for (const { id } of batches.at(-1)?.events ?? []) heard.add(id);
            return events.length >= count;
          },
        );
        const writing = writeUntil(() => stopped);
        await realTiming.sleep(times.restMs);
        await trouble();
        stopped = true;
        const written = await writing;
        count = written.flat().length;
        await store.append("account-last", "no-stream", newEvents(1));
        const { events } = await listening;
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
        await expectHeardAndStored(written, heard);
      },
    );
  });
}
