import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";

import { conditionalWrites, tagAt, winners, type ConditionalWrite } from "../support/conditional-writes.ts";
import type { Instance } from "../support/instance.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";
import { customerAt, offerServers, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Two replicas take writes under one tag at the same time: the stream's revision lets one of them win. */

let postgres: PostgresServer;
let place: SharedPlace;
let replicas: readonly [Instance, Instance];
let customer: Customer;
let writes: readonly ConditionalWrite[];

beforeAll(async () => {
  postgres = await startPostgresServer();
  place = await startSharedPlace(postgres);
  replicas = [await place.replica(), await place.replica()];
  const [{ staff, baseUrl }] = replicas;
  await sell(staff, "com");
  const { planId, regionId } = await offerServers(staff);
  customer = await openCustomer(staff, baseUrl, { balanceCents: 1_000_000n });
  writes = await conditionalWrites(customer, async () => {
    const accountId = BigInt(customer.accountId);
    const order = { accountId, planId, regionId, months: 1, whitelisted: false };
    return Number((await staff.servers.provisionServer(order)).serverId);
  });
});

afterAll(async () => {
  await place.close();
  await postgres.stop();
});

it("one of two conditional writes at two replicas succeeds, and the other gets 412", async () => {
  const clients = replicas.map(({ baseUrl }) => customerAt(baseUrl, customer));
  for (const { name, path, write } of writes) {
    const tag = await tagAt(customer, path);
    const answers = await Promise.all(clients.map((client, n) => write(client, { "If-Match": tag }, n + 1)));
    expect([name, winners(answers)]).toEqual([name, 1]);
  }
});
