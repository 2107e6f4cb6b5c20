import { StoreRewoundError } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { writeMetadata } from "../commands/event-metadata.ts";
import { EventStoreUnavailableError, type EventStore, type RecordedEvent } from "../event-store.port.ts";
import { Lineage } from "./lineage.ts";

const metadata = writeMetadata({ commandId: "c", correlationId: "c", actor: "staff" }, "test");

function event(stream: string, revision: number, change: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    stream,
    revision: BigInt(revision),
    position: BigInt(revision + 1),
    id: `${stream}/${String(revision)}`,
    type: "BalanceCharged.v1",
    data: "{}",
    metadata,
    time: "2026-11-28T12:00:00.000000Z",
    ...change,
  };
}

/** A store that can be restored from an older backup, and counts the reads from its leader. */
class OtherStore implements Pick<EventStore, "read"> {
  events: RecordedEvent[] = [];
  failure: Error | undefined;
  asked = 0;

  async *read(...[stream, options = {}]: Parameters<EventStore["read"]>): AsyncGenerator<RecordedEvent> {
    this.asked += 1;
    expect(options.fromLeader).toBe(true);
    if (this.failure !== undefined) throw await Promise.resolve(this.failure);
    const { direction, from = 0n } = options;
    const found = this.events.filter((each) => each.stream === stream);
    yield* direction === "backwards"
      ? found.slice(-1)
      : found.filter(({ revision }) => revision >= from).slice(0, 1);
  }
}

function watched(seen: readonly RecordedEvent[]) {
  const store = new OtherStore();
  const waits: number[] = [];
  const lost: unknown[] = [];
  /** An action between the two comparisons. */
  const between = { happens: (): void => undefined };
  const lineage = new Lineage({
    timing: {
      sleep: (milliseconds) => {
        waits.push(milliseconds);
        between.happens();
        return Promise.resolve();
      },
    },
    onRewound: ({ stream, revision }, wasOpen) => lost.push({ stream, revision, wasOpen }),
  });
  lineage.attach(store);
  store.events = [...seen];
  for (const each of seen) lineage.noteBatch([each]);
  return { between, lineage, lost, store, waits };
}

const seen = [event("account-7", 0), event("account-7", 1), event("domain-a.com", 3)];

describe("a store is rewound", () => {
  it("if it lacks the last event of ours that was seen, asked twice 5 s apart", async () => {
    const { lineage, lost, store, waits } = watched(seen);
    store.events = [event("account-7", 0), event("domain-a.com", 2)];
    lineage.invalidate();
    await expect(lineage.admit("account-7")).rejects.toThrow(StoreRewoundError);
    expect(waits).toEqual([5_000]);
    expect(lost).toEqual([{ stream: "domain-a.com", revision: 3n, wasOpen: true }]);
    expect(lineage).toMatchObject({ generation: 1, isRewound: true });
    await expect(lineage.admitUnder(0)).rejects.toThrow(StoreRewoundError);
    lineage.accept();
    await lineage.admit("account-7");
  });

  it("when it holds another id at that revision, however long it has grown since", async () => {
    const { lineage, store } = watched(seen);
    store.events = [event("domain-a.com", 3, { id: "another" }), event("domain-a.com", 4)];
    lineage.invalidate();
    await expect(lineage.admit("account-7")).rejects.toThrow(StoreRewoundError);
  });

  it("if it lacks an event that an earlier run has seen, unless staff have accepted a copy since", async () => {
    const { lineage, lost, store } = watched([]);
    store.events = [event("account-7", 0)];
    const remembered = { ...event("account-7", 1), series: 0 };
    lineage.noteSeries(1);
    await lineage.resume([remembered]);
    expect(lineage.isRewound).toBe(false);
    await lineage.resume([{ ...remembered, series: 1 }]);
    expect(lost).toEqual([{ stream: "account-7", revision: 1n, wasOpen: false }]);
  });
});

describe("a store is not rewound", () => {
  it("if the event is there at the second look: a leader that changes, a follower that is late", async () => {
    const { between, lineage, store } = watched(seen);
    store.events = [];
    between.happens = () => (store.events = [...seen]);
    lineage.invalidate();
    await lineage.admit("account-7");
    expect(lineage).toMatchObject({ generation: 0, isRewound: false });
  });

  it("if the event is there at another position", async () => {
    const { lineage, store, waits } = watched(seen);
    store.events = seen.map((each) => ({ ...each, position: each.position + 1_000n }));
    lineage.invalidate();
    await lineage.admit("account-7");
    expect(waits).toEqual([]);
  });

  it.each([
    ["was scavenged up to a later event", [event("domain-a.com", 9)]],
    ["was deleted", [event("$$domain-a.com", 0, { data: '{"$tb":9223372036854775807}' })]],
    ["may lose events by their age", [event("$$domain-a.com", 0, { data: '{"$maxAge":60}' })]],
  ])("if the stream %s, as long as an earlier event is there", async (_, left) => {
    const { lineage, store } = watched(seen);
    store.events = [event("account-7", 1), ...left];
    lineage.invalidate();
    await lineage.admit("account-7");
    expect(lineage.isRewound).toBe(false);
    store.events = left;
    lineage.invalidate();
    await expect(lineage.admit("account-7")).rejects.toThrow("it lacks event 1 of account-7");
  });

  it("when a stream has a tombstone, so that nothing can be read", async () => {
    const { lineage, store } = watched(seen);
    store.failure = new Error("deleted for good");
    lineage.invalidate();
    await lineage.admit("account-7");
  });

  it("if only foreign events are gone: the engine's, another program's, or in a stream without a category of ours", async () => {
    const others = [
      event("$stats", 1),
      event("domain-zzz.com", 1, { metadata: "{}" }),
      event("crm-1", 1),
      event("rewind-all", 1),
    ];
    const { lineage, store } = watched(others);
    store.events = [];
    lineage.invalidate();
    await lineage.admit("account-7");
    expect(store.asked).toBe(0);
  });

  it("while it does not answer: nothing is written, and the next append asks again", async () => {
    const { lineage, store } = watched(seen);
    store.failure = new EventStoreUnavailableError("away");
    lineage.invalidate();
    await expect(lineage.admit("account-7")).rejects.toThrow(EventStoreUnavailableError);
    store.failure = undefined;
    await lineage.admit("account-7");
  });
});

describe("while there is a doubt", () => {
  it("nothing new counts as seen, so that a later copy is not taken for the old one", async () => {
    const { lineage, store } = watched(seen);
    lineage.invalidate();
    lineage.noteBatch([event("account-9", 50, { position: 99n })]);
    store.events = [event("account-9", 50, { position: 99n })];
    await expect(lineage.admit("account-7")).rejects.toThrow(StoreRewoundError);
  });

  it("streams about the rewind itself are written", async () => {
    const { lineage, store } = watched(seen);
    store.events = [];
    lineage.invalidate();
    await lineage.admit("rewind-all");
    await lineage.admit("ticketcause-rewind-1");
    expect(store.asked).toBe(0);
  });
});
