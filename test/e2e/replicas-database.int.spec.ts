import { startPostgresServer, type PostgresServer } from "@hostledger/projections/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { auditBooks, hear, readFactsOf } from "../support/books.ts";
import { startLoad, type Load } from "../support/fleet-load.ts";
import type { Instance } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";
import { brokenPromises } from "../support/promises.ts";
import { settled } from "../support/settled.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";
import { customerAt, openCustomer, sell, staffReadiness, type Customer } from "../support/staff-client.ts";

/**
 * PostgreSQL fails over under load: the server is killed and comes back with its data, or another one takes its place that has not
 * heard of the last transactions. What customers were told is in the event store.
 */

const clients = 8;

let postgres: PostgresServer;
let place: SharedPlace;
let replicas: readonly [Instance, Instance];
let customers: Customer[];

beforeEach(async () => {
  postgres = await startPostgresServer();
  place = await startSharedPlace(postgres);
  replicas = [await place.replica(), await place.replica()];
  const [first] = replicas;
  await sell(first.staff, "com");
  customers = [];
  for (const { baseUrl } of replicas) {
    const customer = await openCustomer(first.staff, first.baseUrl, { balanceCents: 100_000_000n });
    customers.push(customerAt(baseUrl, customer));
  }
});

afterEach(async () => {
  await place.close();
  await postgres.stop();
});

/** Every part of a replica that is not as it should be. */
async function troubles({ adminUrl, data }: Instance): Promise<readonly string[]> {
  const { parts } = await staffReadiness(adminUrl, data);
  return Object.entries(objectOf(parts)).flatMap(([part, state]) =>
    ["live", "closed", "reachable", "trusted", "available"].includes(String(state))
      ? []
      : [`${part}: ${String(state)}`],
  );
}

/** Everything that is wrong in the end, a sentence each. */
async function audited(load: Load): Promise<readonly string[]> {
  const [first] = replicas;
  for (const replica of replicas) await expect.poll(() => troubles(replica), { timeout: 60_000 }).toEqual([]);
  await settled(first.staff);
  const testimony = await hear(first.staff, customers);
  await place.stop();
  const facts = await readFactsOf(place.data);
  return [
    ...load.purchases.flatMap(({ faults }) => faults),
    ...auditBooks({ facts, ...testimony }),
    ...brokenPromises(load.purchases, testimony.shown, ["201", "409 registration_in_flight"]),
  ];
}

describe("replicas whose PostgreSQL fails over", () => {
  it("lose no order and take no number twice", async () => {
    const load = startLoad(customers, { clients, labels: ["name"], prefix: "failing" });
    await load.progress(clients);
    await postgres.crashAnd("keep");
    await postgres.start();
    for (let round = 0; round < 2; round += 1) {
      await load.progress(clients * 2);
      await postgres.crash();
      await postgres.start();
    }
    await load.progress(clients * 2);
    // What was written since the copy is gone: read models go on from there, and leases are somebody's again.
    await postgres.crashAnd("restore");
    await postgres.start();
    await load.progress(clients * 2);
    await load.finish();
    expect(await audited(load)).toEqual([]);
  });
});
