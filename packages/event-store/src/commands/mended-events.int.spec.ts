import { mendingAggregate } from "@hostledger/core";
import { randomIds } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { openTestStore, temporaryStorePath } from "../embedded/test-store.fixture.ts";
import { createCommandHandler } from "./command-handler.ts";
import { isMended, mendedEvents } from "./mended-events.ts";

it("finds the events that staff had passed over, also beside an answer that cannot be read", async () => {
  const store = await openTestStore(temporaryStorePath());
  const commands = createCommandHandler({ store, recordedBy: "test" });
  const stream = "domain-zzz.com";
  expect(await mendedEvents(store, stream)).toEqual([]);

  const event = { stream, revision: 3, eventId: "e-1", eventType: "Damaged.v1", reason: "Not ours." };
  const at = "2026-03-01T10:00:00.000000Z";
  const context = { commandId: "c", correlationId: "c", actor: "staff" };
  await commands.execute(mendingAggregate, stream, { type: "MendStream", data: { ...event, at } }, context);
  const damaged = { id: randomIds.uuid(), type: "StreamMended.v1", data: "none", metadata: "none" };
  await store.append(`mending-${stream}`, "any", [damaged]);

  expect(await mendedEvents(store, stream)).toEqual([{ ...event, mendedAt: at }]);
  expect(await isMended(store, { stream, id: "e-1" })).toBe(true);
  expect(await isMended(store, { stream, id: "e-2" })).toBe(false);
  expect(await mendedEvents(store, "domain-other.com")).toEqual([]);
  expect(await mendedEvents(store, `mending-${stream}`)).toEqual([]);
  await store.close();
});
