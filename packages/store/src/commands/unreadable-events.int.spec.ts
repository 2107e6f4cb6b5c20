import * as core from "@hostledger/core";
import type { Decider, DomainEvent, EventCodec } from "@hostledger/core";
import { randomIds } from "@hostledger/runtime";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { openTestStore, temporaryStorePath } from "../embedded/test-store.fixture.ts";
import type { EventStore, EventToAppend } from "../event-store.port.ts";
import { createCommandHandler } from "./command-handler.ts";
import type { CommandHandler } from "./command-handler.port.ts";
import { add, counter, ownEvent, send, sentAs } from "./counter.fixture.ts";
import { eventsOf } from "./events-of.ts";

let store: EventStore;

beforeEach(async () => {
  store = await openTestStore(temporaryStorePath());
  const opened = store;
  onTestFinished(() => opened.close());
});

const handler = (): CommandHandler => createCommandHandler({ store, recordedBy: "hostledger-test/1" });

/** Makes an event that a CRM of the hosting company writes into our streams. */
function crmNote(metadata = "{}"): EventToAppend {
  return { id: randomIds.uuid(), type: "CrmNoteTaken", data: '{"note":"likes tea"}', metadata };
}

interface AnyAggregate {
  readonly category: string;
  readonly decider: Decider<never, unknown, DomainEvent>;
  readonly codec: EventCodec<DomainEvent>;
}

function isAggregate(value: unknown): value is AnyAggregate {
  return typeof value === "object" && value !== null && "category" in value && "decider" in value;
}

const aggregates = Object.values<unknown>(core).filter(isAggregate);
const idsOf = (category: string): readonly string[] => (category === "sequence" ? core.sequenceNames : ["1"]);
const streams = aggregates.flatMap((each) =>
  idsOf(each.category).map((id) => ({ stream: `${each.category}-${id}`, each, id })),
);

describe("a foreign event", () => {
  it("is skipped in every kind of stream", () => {
    expect(new Set(streams.map(({ each }) => each.category)).size).toBeGreaterThanOrEqual(25);
  });

  it.each(streams)("in $stream is passed over, and counts as a revision", async ({ stream, each, id }) => {
    await store.append(stream, "no-stream", [crmNote(), crmNote("none"), crmNote('{"$correlationId":"1"}')]);
    const { state, revision } = await handler().load(each, id);
    expect(state).toEqual(each.decider.initialState);
    expect(revision).toBe(2n);
  });

  it("before, between and after the events of a stream blocks nothing", async () => {
    await store.append("counter-1", "no-stream", [crmNote()]);
    const first = handler();
    expect(await send(first, add(1))).toMatchObject({ state: { total: 1 }, revision: 1n });
    await store.append("counter-1", "any", [crmNote()]);
    expect(await send(first, add(2))).toMatchObject({ state: { total: 3 }, revision: 3n });
    await store.append("counter-1", "any", [crmNote()]);
    expect(await handler().load(counter, "1")).toMatchObject({ state: { total: 3 }, revision: 4n });
    expect(await send(handler(), add(3))).toMatchObject({ state: { total: 6 }, revision: 5n });
    const events = [];
    for await (const { event, revision } of eventsOf(store, "counter-1", counter.codec))
      events.push([event.data.by, revision]);
    expect(events).toEqual([
      [1, 1n],
      [2, 3n],
      [3, 5n],
    ]);
  });
});

describe("an event that cannot be read", () => {
  it.each([
    ["of ours without metadata", { ...ownEvent("Added.v1", '{"by":7}'), metadata: "{}" }, "damaged"],
    ["of ours with broken metadata", { ...ownEvent("Added.v1", '{"by":7}'), metadata: "none" }, "damaged"],
    ["that contradicts its stream", ownEvent("Added.v1", '{"by":"many"}'), "damaged"],
    ["of another kind of stream", ownEvent("BalanceCharged.v1", "{}"), "damaged"],
    ["of a newer version", ownEvent("Subtracted.v1", "{}"), "newer"],
  ])("%s stops its stream, and no other", async (_what, event, kind) => {
    const commands = handler();
    await send(commands, add(1), "bad");
    await store.append("counter-bad", 0n, [event]);
    const { id: eventId, type } = event;
    const named = { name: "UnreadableEventError", stream: "counter-bad", revision: 1n, eventId, type, kind };
    await expect(handler().load(counter, "bad")).rejects.toMatchObject(named);
    await expect(send(handler(), add(1), "bad")).rejects.toMatchObject(named);
    await expect(send(commands, add(1), "bad")).rejects.toThrow(core.UnreadableEventError);
    expect(await send(commands, add(1), "good")).toMatchObject({ state: { total: 1 } });
  });

  it("is skipped after staff mended it, by processes that have the stream cached and by others", async () => {
    const commands = handler();
    await send(commands, add(1), "bad");
    const event = { ...ownEvent("Added.v1", '{"by":7}'), metadata: "none" };
    await store.append("counter-bad", 0n, [event]);
    await expect(send(commands, add(1), "bad")).rejects.toThrow("counter-bad@1");
    const data = {
      stream: "counter-bad",
      revision: 1,
      eventId: event.id,
      eventType: event.type,
      reason: "A script.",
    };
    const command = { type: "MendStream", data: { ...data, at: "2026-03-01T10:00:00.000000Z" } } as const;
    await commands.execute(core.mendingAggregate, "counter-bad", command, sentAs("mend"));
    expect(await send(commands, add(2), "bad")).toMatchObject({ state: { total: 3 }, revision: 2n });
    expect(await handler().load(counter, "bad")).toMatchObject({ state: { total: 3 }, revision: 2n });
    const amounts = [];
    for await (const read of eventsOf(store, "counter-bad", counter.codec)) amounts.push(read.event.data.by);
    expect(amounts).toEqual([1, 2]);
  });
});
