import { openEventStoreDb } from "@hostledger/esdb";
import type { EventStore } from "@hostledger/store";
import { randomIds, realTiming } from "@hostledger/runtime";
import { eventually as eventuallyBy } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { startFleet } from "../support/fleet.ts";
import { itemsOf } from "../support/matchers.ts";
import type { RestClient } from "../support/rest-client.ts";
import { registerName } from "../support/shop.ts";
import { openBuyers, sell } from "../support/staff-client.ts";

/** Services in processes of their own, with their read models in PostgreSQL: an event harms only the stream that it is in (ADR 0026). */

const metadata = JSON.stringify({
  commandId: "a-script",
  correlationId: "a-script",
  causationId: "a-script",
  actor: "staff:script",
  recordedBy: "script",
});

const eventually = (check: () => unknown): Promise<unknown> =>
  eventuallyBy(realTiming, check, { limitMs: 60_000 });

async function storeEvent(store: EventStore, stream: string, type: string, data: string, by = metadata) {
  await store.append(stream, "any", [{ id: randomIds.uuid(), type, data, metadata: by }]);
}

/** Stores the first event of a stream in it once more, as a script does. */
async function repeatFirst(store: EventStore, stream: string): Promise<void> {
  for await (const { type, data } of store.read(stream, { limit: 1 }))
    await storeEvent(store, stream, type, data);
}

async function namesOf(client: RestClient): Promise<readonly unknown[]> {
  return itemsOf((await client.get("/domains")).body).map((domain) => domain.domain_name);
}

it("serves every other stream, and continues everywhere after one command per event", async () => {
  const fleet = await startFleet();
  onTestFinished(() => fleet.close());
  const connectionString = `esdb://127.0.0.1:${String(fleet.node.port)}?tls=false`;
  const store = await openEventStoreDb({ connectionString });
  onTestFinished(() => store.close());
  const { projections, domains } = fleet.staff;
  await sell(fleet.staff, "com");
  const [damaged, contradicted, other] = await openBuyers(fleet, [100_000n, 100_000n, 100_000n]);
  if (damaged === undefined || contradicted === undefined || other === undefined)
    throw new Error("three customers were opened");
  await registerName(damaged, "first.com");
  await registerName(contradicted, "second.com");

  await storeEvent(store, "domain-zzz.com", "CrmNoteTaken", '{"note":"likes tea"}', "{}");
  const account = `account-${String(damaged.accountId)}`;
  await storeEvent(store, account, "BalanceCharged.v1", "none");
  await repeatFirst(store, "domain-second.com");

  const streams = [account, "domain-second.com"].sort();
  await eventually(async () => {
    const stops = (await projections.listStoppedStreams({})).streams;
    expect([...new Set(stops.map(({ stream }) => stream))].sort()).toEqual(streams);
  });
  // Both gateways and both processes of the domain service take the other customer's orders.
  for (const name of ["third.com", "fourth.com", "zzz.com"]) await registerName(other, name);
  await eventually(async () => {
    expect([...(await namesOf(other))].sort()).toEqual(["fourth.com", "third.com", "zzz.com"]);
  });
  expect((await other.get("/domains")).headers.get("hostledger-stale")).toBeNull();
  expect((await domains.listRuns({})).runs).toEqual([]);
  await expect(registerName(damaged, "fifth.com")).rejects.toThrow();

  for (const { stream, revision } of (await projections.listStoppedStreams({})).streams)
    await projections.mendStream({ stream, revision, reason: "A script wrote the event." });
  await eventually(async () => {
    expect((await projections.listStoppedStreams({})).streams).toEqual([]);
    expect((await contradicted.get("/domains")).headers.get("hostledger-stale")).toBeNull();
  });
  await registerName(damaged, "sixth.com");
  await registerName(contradicted, "seventh.com");
  await eventually(async () => {
    expect([...(await namesOf(damaged))].sort()).toEqual(["first.com", "sixth.com"]);
    expect([...(await namesOf(contradicted))].sort()).toEqual(["second.com", "seventh.com"]);
  });
  await fleet.ready();
});
