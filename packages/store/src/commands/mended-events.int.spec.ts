import { mendingAggregate, type DomainEvent, type EventCodec } from "@hostledger/core";
import { randomIds } from "@hostledger/runtime";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import { openTestStore, temporaryStorePath } from "../embedded/test-store.fixture.ts";
import type { EventStore } from "../event-store.port.ts";
import { createCommandHandler } from "./command-handler.ts";
import { isMended, mendedEvents } from "./mended-events.ts";

let store: EventStore;

beforeEach(async () => {
  store = await openTestStore(temporaryStorePath());
  const opened = store;
  onTestFinished(() => opened.close());
});

const stream = "domain-zzz.com";
const at = "2026-03-01T10:00:00.000000Z";
const event = { stream, revision: 3, eventId: "e-1", eventType: "Damaged.v1", reason: "Not ours." };

async function mend(answered: typeof event): Promise<void> {
  const commands = createCommandHandler({ store, recordedBy: "test" });
  const context = { commandId: answered.eventId, correlationId: "c", actor: "staff" };
  const command = { type: "MendStream", data: { ...answered, at } } as const;
  await commands.execute(mendingAggregate, answered.stream, command, context);
}

/** Stores an event with a type of ours as another program would. */
async function forge<Event extends DomainEvent>(
  to: string,
  [codec, { type, data }]: readonly [EventCodec<Event>, Event],
  metadata: string,
): Promise<void> {
  const forged = { id: randomIds.uuid(), type: codec.storedType(type), data: JSON.stringify(data), metadata };
  await store.append(to, "any", [forged]);
}

it("finds the events that staff had passed over, also beside an answer that cannot be read", async () => {
  expect(await mendedEvents(store, stream)).toEqual([]);
  await mend(event);
  const damaged = { id: randomIds.uuid(), type: "StreamMended.v1", data: "none", metadata: "none" };
  await store.append(`mending-${stream}`, "any", [damaged]);

  expect(await mendedEvents(store, stream)).toEqual([{ ...event, mendedAt: at }]);
  expect(await isMended(store, { stream, id: "e-1" })).toBe(true);
  expect(await isMended(store, { stream, id: "e-2" })).toBe(false);
  expect(await mendedEvents(store, "domain-other.com")).toEqual([]);
});

const foreignMetadata = ["{}", "none", '{"actor":"crm"}', '{"actor":"crm","recordedBy":"crm/1"}'];

it.each(foreignMetadata)("ignores an event with the metadata %s", async (metadata) => {
  const mended = { type: "StreamMended", data: { ...event, mendedAt: at } } as const;
  await forge(`mending-${stream}`, [mendingAggregate.codec, mended], metadata);
  expect(await mendedEvents(store, stream)).toEqual([]);
  expect(await isMended(store, { stream, id: "e-1" })).toBe(false);
});

it("ignores an answer in the stream of another stream's answers", async () => {
  const own = '{"commandId":"c","correlationId":"c","actor":"staff","recordedBy":"test"}';
  const mended = { type: "StreamMended", data: { ...event, mendedAt: at } } as const;
  await forge("mending-domain-other.com", [mendingAggregate.codec, mended], own);
  expect(await mendedEvents(store, "domain-other.com")).toEqual([]);
});

it("skips an unreadable answer after staff mended it", async () => {
  const damaged = { id: randomIds.uuid(), type: "StreamMended.v1", data: "none", metadata: "none" };
  await store.append(`mending-${stream}`, "any", [damaged]);
  await expect(mend(event)).rejects.toThrow(`mending-${stream}@0`);
  await mend({ ...event, stream: `mending-${stream}`, revision: 0, eventId: damaged.id });
  await mend(event);
  expect(await isMended(store, { stream, id: "e-1" })).toBe(true);
});
