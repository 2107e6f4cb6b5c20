import { startTwoNodes, type TwoNodes } from "@hostledger/esdb/testing";
import { realTiming } from "@hostledger/runtime";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startLoad } from "../support/fleet-load.ts";
import type { Instance } from "../support/instance.ts";
import { auditReplicas, openCustomerAtEach } from "../support/replicas-audit.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";
import { sell, type Customer } from "../support/staff-client.ts";

/**
 * The event store is a cluster whose leader changes under load: running appends break off, stored or not, and each
 * node in turn answers that it does not lead.
 */

const clients = 8;

let postgres: PostgresServer;
let place: SharedPlace;
let nodes: TwoNodes;
let replicas: readonly [Instance, Instance];
let customers: Customer[];

beforeEach(async () => {
  postgres = await startPostgresServer();
  place = await startSharedPlace(postgres);
  nodes = await startTwoNodes(Number(new URL(place.environment.HOSTLEDGER_EVENT_STORE ?? "").port));
  const [first, second] = nodes.ports;
  const cluster = `esdb://127.0.0.1:${String(first)},127.0.0.1:${String(second)}?tls=false`;
  const environment = { HOSTLEDGER_EVENT_STORE: cluster };
  replicas = [await place.replica({ environment }), await place.replica({ environment })];
  await sell(replicas[0].staff, "com");
  customers = await openCustomerAtEach(replicas);
});

afterEach(async () => {
  await place.close();
  await nodes.close();
  await postgres.stop();
});

describe("replicas whose event store changes its leader", () => {
  it("lose no answered order, register no name twice, and charge each once", async () => {
    const load = startLoad(customers, { clients, labels: ["name"], prefix: "leader" });
    for (const leader of [1, 0, 1, 0, 1] as const) {
      await load.progress(clients * 2);
      nodes.elect();
      // Calls during the election are answered that there is no leader.
      await realTiming.sleep(200);
      nodes.lead(leader);
    }
    await load.progress(clients * 2);
    await load.finish();
    expect(await auditReplicas({ place, replicas, customers, load })).toEqual([]);
  });
});
