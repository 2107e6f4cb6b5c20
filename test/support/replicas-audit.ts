import { expect } from "vitest";

import { auditBooks, hear, readEventsOf } from "./books.ts";
import type { Load } from "./fleet-load.ts";
import type { Instance } from "./instance.ts";
import { objectOf } from "./matchers.ts";
import { brokenPromises } from "./promises.ts";
import { settled } from "./settled.ts";
import type { SharedPlace } from "./shared-place.ts";
import { customerAt, openCustomer, staffReadiness, type Customer } from "./staff-client.ts";

/** Two replicas in the test's own process, and the customers of their orders. */
export interface AuditedReplicas {
  readonly place: SharedPlace;
  readonly replicas: readonly [Instance, Instance];
  readonly customers: readonly Customer[];
  readonly load: Load;
}

/** Opens a customer with money for each replica, who calls only that one. */
export async function openCustomerAtEach(replicas: AuditedReplicas["replicas"]): Promise<Customer[]> {
  const [first] = replicas;
  const customers = [];
  for (const { baseUrl } of replicas) {
    const customer = await openCustomer(first.staff, first.baseUrl, { balanceCents: 100_000_000n });
    customers.push(customerAt(baseUrl, customer));
  }
  return customers;
}

/** Waits until all is well and settled again, and ends the replicas. @returns everything that is wrong then, a sentence each */
export async function auditReplicas({
  place,
  replicas,
  customers,
  load,
}: AuditedReplicas): Promise<readonly string[]> {
  const [first] = replicas;
  for (const replica of replicas) await expect.poll(() => troubles(replica), { timeout: 60_000 }).toEqual([]);
  await settled(first.staff);
  const testimony = await hear(first.staff, customers);
  await place.stop();
  const events = await readEventsOf(place.data);
  return [
    ...load.purchases.flatMap(({ faults }) => faults),
    ...auditBooks({ events, ...testimony }),
    ...brokenPromises(load.purchases, testimony.shown, ["201", "409 registration_in_flight"]),
  ];
}

/** Every part of a replica that is not as it should be. */
async function troubles({ adminUrl, data }: Instance): Promise<readonly string[]> {
  const { parts } = await staffReadiness(adminUrl, data);
  return Object.entries(objectOf(parts)).flatMap(([part, state]) =>
    ["live", "closed", "reachable", "trusted", "available"].includes(String(state))
      ? []
      : [`${part}: ${String(state)}`],
  );
}
