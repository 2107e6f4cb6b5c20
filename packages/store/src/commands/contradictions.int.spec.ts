import { accountAggregate, codecOfCategory, mendingAggregate } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { randomIds } from "@hostledger/runtime";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import { collect } from "../contract/contract-fixtures.ts";
import { openTestStore, temporaryStorePath } from "../embedded/test-store.fixture.ts";
import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import { createCommandHandler } from "./command-handler.ts";
import { contradictionsIn } from "./contradictions.ts";
import { eventsOf } from "./events-of.ts";
import { ownEvent } from "./counter.fixture.ts";

const { opened, credited, charged } = accountExamples;
const stream = "account-7";

let store: EventStore;

beforeEach(async () => {
  store = await openTestStore(temporaryStorePath());
  const used = store;
  onTestFinished(() => used.close());
});

type Example = ReturnType<typeof opened | typeof credited | typeof charged>;

async function stored(...examples: readonly Example[]): Promise<readonly RecordedEvent[]> {
  const { codec } = accountAggregate;
  const events = examples
    .flat()
    .map(({ type, data }) => ownEvent(codec.storedType(type), JSON.stringify(data)));
  await store.append(stream, "any", events);
  return collect(store.read(stream));
}

async function mend({ revision, id: eventId, type: eventType }: RecordedEvent): Promise<void> {
  const data = { stream, revision: Number(revision), eventId, eventType };
  const at = "2026-03-01T10:00:00.000000Z";
  await createCommandHandler({ store, recordedBy: "spec" }).execute(
    mendingAggregate,
    stream,
    { type: "MendStream", data: { ...data, reason: "A script.", at } },
    { commandId: "mend", correlationId: "mend", actor: "staff" },
  );
}

it("names an event that contradicts those before it, and judges nothing behind it until staff have it passed over", async () => {
  const right = await stored(opened(), credited(), charged());
  const contradictions = contradictionsIn(store, codecOfCategory);
  for (const event of right) expect(await contradictions.of(event)).toBeUndefined();

  const note = { id: randomIds.uuid(), type: "CrmNoteTaken", data: "{}", metadata: "{}" };
  await store.append(stream, "any", [note]);
  const all = await stored(opened(), opened());
  const [again, third] = all.slice(-2);
  if (again === undefined || third === undefined) throw new Error("two events were stored");
  const found = await contradictions.of(again);
  expect(found).toMatchObject({ stream, revision: again.revision, eventId: again.id, kind: "damaged" });
  expect(found?.message).toMatch(
    /^account-7@\d+ \(AccountOpened\.v1\): corrupt stream: AccountOpened cannot follow/u,
  );
  expect(await contradictions.of(third)).toBeUndefined();

  await mend(again);
  expect(await contradictions.of(third)).toMatchObject({ revision: third.revision });
  expect(await contradictions.of(again)).toMatchObject({ revision: again.revision });
  for (const event of all.slice(0, -2)) expect(await contradictions.of(event)).toBeUndefined();
});

it("reads the counting events of a stream, and stops where the stream stops", async () => {
  await stored(opened(), credited());
  const [again, behind] = (await stored(opened(), charged())).slice(-3);
  if (again === undefined || behind === undefined) throw new Error("three events were stored");
  const contradictions = contradictionsIn(store, codecOfCategory);
  const types = async (): Promise<string[]> => {
    const read: string[] = [];
    for await (const { event } of eventsOf(store, stream, accountAggregate.codec)) read.push(event.type);
    return read;
  };
  await expect(types()).rejects.toThrow(`account-7@${String(again.revision)} (AccountOpened.v1)`);
  const stop = { eventId: again.id };
  expect(await contradictions.leftOut(again)).toMatchObject({ error: stop, answer: undefined });
  expect(await contradictions.leftOut(behind)).toMatchObject({ error: stop, answer: undefined });

  await mend(again);
  expect(await types()).toEqual([opened(), ...credited(), ...charged()].map(({ type }) => type));
  expect(await contradictions.leftOut(again)).toMatchObject({ error: stop, answer: { reason: "A script." } });
  expect(await contradictions.leftOut(behind)).toBeUndefined();
});

it("ignores streams without rules", async () => {
  await store.append("shop-1", "any", [
    ownEvent("AccountOpened.v1", "{}"),
    ownEvent("AccountOpened.v1", "{}"),
  ]);
  for await (const event of store.read("shop-1"))
    expect(await contradictionsIn(store, codecOfCategory).of(event)).toBeUndefined();
});
