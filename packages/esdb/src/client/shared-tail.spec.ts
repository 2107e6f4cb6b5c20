import type { EventBatch, RecordedEvent, SubscribeOptions } from "@hostledger/store";
import { yieldToOthers } from "@hostledger/runtime/async";
import { beforeEach, describe, expect, it } from "vitest";

import { SharedTail, type TailPlace } from "./shared-tail.ts";

/** A log that members of a shared tail follow. */
interface Followed extends SubscribeOptions {
  tell(batch: EventBatch): Promise<void>;
  fail(error: Error): void;
}

const followed: Followed[] = [];
let end: AbortController;
let tail: SharedTail;

beforeEach(() => {
  followed.length = 0;
  end = new AbortController();
  tail = new SharedTail({
    follow,
    limits: { bufferedMessages: 3, bufferedBytes: 1_000, checkpointEvents: 4 },
  });
});

async function* follow(options: SubscribeOptions): AsyncGenerator<EventBatch> {
  const batches: EventBatch[] = [];
  let failure: Error | undefined;
  let wake = Promise.withResolvers<undefined>();
  options.signal?.addEventListener("abort", () => {
    wake.resolve(undefined);
  });
  followed.push({
    ...options,
    async tell(batch) {
      batches.push(batch);
      wake.resolve(undefined);
      for (let turn = 0; turn < 3; turn += 1) await yieldToOthers();
    },
    fail(error) {
      failure = error;
      wake.resolve(undefined);
    },
  });
  while (options.signal?.aborted !== true) {
    await wake.promise;
    wake = Promise.withResolvers();
    if (failure !== undefined) throw failure;
    yield* batches.splice(0);
  }
}

function event(stream: string, position: bigint, data = "{}"): RecordedEvent {
  const time = "2026-03-01T10:00:00.000000Z";
  return { stream, position, revision: 0n, time, id: String(position), type: "Told.v1", data, metadata: "" };
}

function batch(...events: readonly RecordedEvent[]): EventBatch {
  return { events, position: events.at(-1)?.position ?? 0n, caughtUp: true };
}

/** Adds a member to the tail, and returns the events that it received. */
function join(place: Omit<TailPlace, "signal">, signal = end.signal) {
  const batches = tail.after({ ...place, signal });
  const heard: EventBatch[] = [];
  const ended = (async () => {
    for await (const each of batches) heard.push(each);
  })();
  const positions = (): readonly bigint[] =>
    heard.flatMap(({ events }) => events.map(({ position }) => position));
  return { heard, ended, positions };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await yieldToOthers();
}

describe("the tail of the log", () => {
  it("is followed once for all members, each with its own streams", async () => {
    const accounts = join({ after: 5n, prefixes: ["account-"] });
    const domains = join({ after: 5n, prefixes: ["domain-", "account-"] });
    await settle();
    expect(followed.map(({ from, streamPrefixes }) => ({ from, streamPrefixes }))).toEqual([
      { from: 5n, streamPrefixes: ["account-"] },
      { from: 5n, streamPrefixes: ["account-", "domain-"] },
    ]);
    expect(followed[0]?.signal?.aborted).toBe(true);
    await followed[1]?.tell(batch(event("account-1", 6n), event("domain-a", 7n), event("account-2", 8n)));
    expect(accounts.positions()).toEqual([6n, 8n]);
    expect(domains.positions()).toEqual([6n, 7n, 8n]);
    expect(accounts.heard.at(-1)).toMatchObject({ position: 8n, caughtUp: true });
  });

  it("continues for a single member, without another subscription", async () => {
    join({ after: 5n, prefixes: undefined });
    await settle();
    const late = join({ after: 7n, prefixes: ["account-"] });
    await settle();
    expect(followed).toHaveLength(1);
    await followed[0]?.tell(batch(event("account-1", 6n), event("account-1", 7n), event("account-1", 8n)));
    expect(late.positions()).toEqual([8n]);
  });

  it("sends a late member the missing events, and the others nothing twice", async () => {
    const first = join({ after: 5n, prefixes: undefined });
    await settle();
    await followed[0]?.tell(batch(event("account-1", 6n), event("domain-a", 9n)));
    const behind = join({ after: 5n, prefixes: ["account-"] });
    await settle();
    expect(followed[1]).toMatchObject({ from: 5n });
    await followed[1]?.tell(batch(event("account-1", 6n), event("domain-a", 9n), event("account-1", 10n)));
    expect(first.positions()).toEqual([6n, 9n, 10n]);
    expect(behind.positions()).toEqual([6n, 10n]);
  });

  it("sends only a position for others' events, after enough of them", async () => {
    const accounts = join({ after: 1n, prefixes: ["account-"] });
    join({ after: 1n, prefixes: ["domain-"] });
    await settle();
    for (const position of [2n, 3n, 4n]) await followed.at(-1)?.tell(batch(event("domain-a", position)));
    expect(accounts.heard).toEqual([]);
    await followed.at(-1)?.tell(batch(event("domain-a", 5n)));
    expect(accounts.heard).toEqual([{ events: [], position: 5n, caughtUp: true }]);
    await followed.at(-1)?.tell({ events: [], position: 40n, caughtUp: true });
    expect(accounts.heard.at(-1)).toEqual({ events: [], position: 40n, caughtUp: true });
  });

  it("sends nothing to members that miss nothing when it has caught up", async () => {
    const all = join({ after: 5n, prefixes: undefined });
    await settle();
    await followed[0]?.tell({ events: [], position: 5n, caughtUp: true });
    expect(all.heard).toEqual([]);
  });

  it("reports when it has to catch up, and when it has", async () => {
    const all = join({ after: 1n, prefixes: undefined });
    await settle();
    await followed[0]?.tell({ ...batch(event("account-1", 2n)), caughtUp: false });
    await followed[0]?.tell({ events: [], position: 2n, caughtUp: true });
    expect(all.heard.map(({ caughtUp }) => caughtUp)).toEqual([false, true]);
  });

  it("drops a member that reads too slowly, and waits for none", async () => {
    const slow = tail.after({ after: 1n, prefixes: undefined, signal: end.signal });
    const quick = join({ after: 1n, prefixes: undefined });
    const first = slow.next();
    await settle();
    await followed[0]?.tell(batch(event("account-1", 2n)));
    expect(await first).toMatchObject({ value: { position: 2n } });
    for (const position of [3n, 4n, 5n, 6n]) await followed[0]?.tell(batch(event("account-1", position)));
    expect(await slow.next()).toEqual({ done: true, value: undefined });
    expect(quick.positions()).toEqual([2n, 3n, 4n, 5n, 6n]);
  });

  it("buffers nothing for a dropped member, however long it is away", async () => {
    const slow = tail.after({ after: 1n, prefixes: undefined, signal: end.signal });
    const first = slow.next();
    await settle();
    for (const position of [2n, 3n, 4n, 5n, 6n]) {
      await followed[0]?.tell(batch(event("account-1", position)));
      await first;
    }
    const taken: string[] = [];
    for (const position of [7n, 8n]) {
      const later = event("account-1", position);
      const watched = {
        ...later,
        get data() {
          taken.push(later.id);
          return later.data;
        },
      };
      await followed[0]?.tell(batch(watched));
    }
    expect(taken).toEqual([]);
    expect(await slow.next()).toEqual({ done: true, value: undefined });
  });

  it("counts bytes, too", async () => {
    const slow = tail.after({ after: 1n, prefixes: undefined, signal: end.signal });
    const first = slow.next();
    await settle();
    await followed[0]?.tell(batch(event("account-1", 2n)));
    await first;
    await followed[0]?.tell(batch(event("account-1", 3n, "x".repeat(1_001))));
    expect(await slow.next()).toEqual({ done: true, value: undefined });
  });

  it("ends for all when it breaks, so that each continues alone, and begins again with the next one", async () => {
    const both = [join({ after: 1n, prefixes: undefined }), join({ after: 1n, prefixes: ["account-"] })];
    await settle();
    followed[0]?.fail(new Error("gone"));
    await Promise.all(both.map(({ ended }) => ended));
    join({ after: 3n, prefixes: ["domain-"] });
    await settle();
    expect(followed[1]).toMatchObject({ from: 3n, streamPrefixes: ["domain-"] });
  });

  it("ends without members", async () => {
    const leaving = new AbortController();
    const { ended } = join({ after: 0n, prefixes: undefined }, leaving.signal);
    await settle();
    expect(followed[0]).toMatchObject({ from: "start" });
    leaving.abort();
    await ended;
    expect(followed[0]?.signal?.aborted).toBe(true);
    await join({ after: 0n, prefixes: undefined }, leaving.signal).ended;
    expect(followed).toHaveLength(1);
  });
});
