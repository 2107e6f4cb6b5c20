import { PostgresSession } from "@hostledger/runtime/postgres";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { connectionsOfAnInstance } from "../support/connections.ts";
import { startLoad } from "../support/fleet-load.ts";
import type { Instance } from "../support/instance.ts";
import { auditReplicas, openCustomerAtEach } from "../support/replicas-audit.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";
import { sell, type Customer } from "../support/staff-client.ts";

/**
 * PostgreSQL fails over under load: the server is killed and restarts with its data, or a replica without the last
 * transactions takes over. Confirmed orders are in the event store.
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
  customers = await openCustomerAtEach(replicas);
});

afterEach(async () => {
  await place.close();
  await postgres.stop();
});

it("replicas open no more connections under load than the deployment allows for", async () => {
  const asking = new PostgresSession({ connectionString: postgres.url });
  const text = "select count(*)::int as n from pg_stat_activity where client_port is not null";
  const load = startLoad(customers, { clients: 2 * clients, labels: ["name"], prefix: "many" });
  const counted: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await load.progress(clients);
    counted.push(...(await asking.query<{ n: number }>({ text })).rows.map(({ n }) => n));
  }
  await load.finish();
  await asking.close();
  expect(Math.max(...counted) - 1).toBeLessThanOrEqual(replicas.length * connectionsOfAnInstance);
});

describe("replicas whose PostgreSQL fails over", () => {
  it("lose no order and use no number twice", async () => {
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
    // Writes after the copy are lost: read models continue from there, and leases are taken again.
    await postgres.crashAnd("restore");
    await postgres.start();
    await load.progress(clients * 2);
    await load.finish();
    expect(await auditReplicas({ place, replicas, customers, load })).toEqual([]);
  });
});
