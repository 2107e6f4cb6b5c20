import { expect, it } from "vitest";

import { createLocalLeases, type LeaseRoom } from "../leases/local-leases.ts";
import { failedAttempt } from "./work-engine.port.ts";
import { minuteMs, openWork, start } from "./work-engine.fixture.ts";
import type { EffectEnd } from "./work-kind.ts";

/** Isolation between keys, parts and customers, and the tickets that staff get. */

const counts = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));
const failing = (): Promise<EffectEnd> => Promise.resolve({ outcome: "failed", reason: "No route" });

it("a stream that cannot be read stops only its own key, not the others of its account", async () => {
  const finished = new Set<string>();
  let isReadable = false;
  const { engine, begin, clock, failures, sent } = await openWork({
    load: (key) =>
      key === "broken" && !isReadable
        ? Promise.reject(new Error("The event 3 of the stream cannot be read"))
        : Promise.resolve(key),
    next: (key) => (finished.has(key) ? "done" : { do: { type: "send" } }),
    send: (key) => {
      finished.add(key);
      return Promise.resolve({ outcome: "done", step: "sent" });
    },
  });
  await begin("broken", 7);
  for (const key of ["before", "behind", "zeal"]) await begin(key, 7);
  await begin("other", 8);
  expect(await engine.runDue()).toEqual(counts({ sent: 4, [failedAttempt]: 1 }));
  expect(sent.toSorted()).toEqual(["before", "behind", "other", "zeal"]);
  expect(await failures()).toMatchObject([
    { key: "broken", effect: "", reason: "The event 3 of the stream cannot be read", attempts: 1 },
  ]);
  await begin("later", 7);
  expect(await engine.runDue()).toEqual(counts({ sent: 1 }));
  isReadable = true;
  clock.advance(60 * minuteMs);
  expect(await engine.runDue()).toEqual(counts({ sent: 1 }));
  expect(sent.at(-1)).toBe("broken");
  expect(await failures()).toEqual([]);
});

it("work that stopped stays stopped through a restart and a rebuild, with the same ticket text for staff", async () => {
  const { open, engine, begin, sent, tickets } = await openWork({
    next: () => ({ stopped: "Staff must look" }),
  });
  await begin("a");
  expect(await engine.runDue()).toEqual(new Map());
  // A rebuild makes every key due once more.
  await begin("a", null, start);
  const restarted = await open();
  expect(await restarted.runDue()).toEqual(new Map());
  expect(await restarted.runDue()).toEqual(new Map());
  expect(sent).toEqual([]);
  // A set, because the real ticket store removes repeated tickets.
  expect(new Set(tickets)).toEqual(new Set(["a: Staff must look"]));
});

it("abandoned work stays abandoned after a restart and a rebuild, and its failed attempts are deleted", async () => {
  let isAbandoned = false;
  const { open, engine, begin, change, clock, failures, sent } = await openWork({
    next: () => (isAbandoned ? "done" : { do: { type: "send" } }),
    send: failing,
  });
  await begin("a");
  await engine.runDue();
  expect(await failures()).toHaveLength(1);
  isAbandoned = true;
  clock.advance(1_000);
  // The abandoning is an event of the stream.
  await change("a");
  expect(await engine.runDue()).toEqual(new Map());
  expect(await failures()).toEqual([]);
  await begin("a", null, start);
  const restarted = await open();
  clock.advance(60 * minuteMs);
  expect(await restarted.runDue()).toEqual(new Map());
  expect(sent).toHaveLength(1);
});

it("each part has its own lease: its rounds run while another process has the leases of other parts", async () => {
  const finished: string[] = [];
  const { open, begin, sent } = await openWork({
    next: (key) => (finished.includes(key) ? "done" : { do: { type: "send" } }),
    send: (key) => {
      finished.push(key);
      return Promise.resolve({ outcome: "done", step: "sent" });
    },
  });
  const room: LeaseRoom = new Map();
  const [mine, theirs] = [createLocalLeases({ room }), createLocalLeases({ room })];
  await theirs.tryAcquire("lifecycle-domain");
  const ofDomains = await open(mine, "lifecycle-domain");
  const ofServers = await open(mine, "lifecycle-server");
  const stopping = new AbortController();
  const waiting = ofDomains.run(stopping.signal);
  await begin("a");
  const running = ofServers.run(stopping.signal);
  await expect.poll(() => sent).toEqual(["a"]);
  expect([...room.keys()].toSorted()).toEqual(["lifecycle-domain", "lifecycle-server"]);
  stopping.abort();
  await Promise.all([waiting, running]);
});

it("another process's lease prevents the rounds of that part", async () => {
  const { open, begin, clock, sent } = await openWork({ next: () => ({ do: { type: "send" } }) });
  const room: LeaseRoom = new Map();
  const theirs = createLocalLeases({ room });
  const taken = await theirs.tryAcquire("lifecycle-domain");
  const engine = await open(createLocalLeases({ room }), "lifecycle-domain");
  const stopping = new AbortController();
  const running = engine.run(stopping.signal);
  await begin("a");
  clock.advance(10 * minuteMs);
  expect(sent).toEqual([]);
  await taken?.release();
  await expect.poll(() => (clock.advance(1_000), sent.length)).toBeGreaterThan(0);
  stopping.abort();
  await running;
});
