import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { persist, type Purchase } from "../support/fleet-load.ts";
import { limited } from "../support/limited.ts";
import { anyNumber, itemsOf } from "../support/matchers.ts";
import { inShort } from "../support/promises.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

/**
 * Behind EventStoreDB's protocol, server and instance share the test's one thread: a thousand requests at once would wait for
 * each other until the last appends are too late, which is refused as it should be.
 */
const inFlight = process.env.TEST_EVENT_STORE === "node" ? 250 : 1_000;

let instance: Instance;

beforeAll(async () => {
  // No registrar is too late here, however busy the machine: that is another test's.
  instance = await startInstance({ environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "30000" } });
  await sell(instance.staff, "com");
});

afterAll(() => instance.close());

it("of 1,000 concurrent registrations with money for exactly 500, 500 succeed, without gaps in numbers and without a cent left", async () => {
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 500n * 1_190n });
  const purchases = Array.from({ length: 1_000 }, (_, index): Purchase => {
    const name = `bulk-${String(index)}.com`;
    return { accountId: customer.accountId, name, key: name, answer: undefined, steps: [], faults: [] };
  });
  const atOnce = limited(inFlight);
  // On a busy machine the last may be too late, which says that the same request may be sent again.
  await Promise.all(purchases.map((purchase) => atOnce(() => persist(customer, purchase))));

  expect(purchases.flatMap(({ faults }) => faults)).toEqual([]);
  const answers = Map.groupBy(purchases, ({ answer }) => inShort(answer));
  expect([...answers].map(([answer, group]) => [answer, group.length]).toSorted()).toEqual([
    ["201", 500],
    ["400 insufficient_balance", 500],
  ]);
  for (const { answer } of answers.get("400 insufficient_balance") ?? []) {
    expect(answer?.body).toMatchObject({ required: 11.9, available: anyNumber });
  }
  expect((await customer.get("/billing/balance")).body).toEqual({ balance: "0.00" });

  const invoices = itemsOf((await customer.get("/billing/invoices")).body).filter(
    ({ action }) => action === "purchase",
  );
  const year = new Date().getUTCFullYear();
  expect(invoices.map(({ number }) => number).toSorted()).toEqual(
    Array.from(
      { length: 500 },
      (_, index) => `${String(year)}-${String(customer.accountId)}-${String(index + 1).padStart(6, "0")}`,
    ),
  );
  expect(new Set(invoices.map(({ id }) => id)).size).toBe(500);

  const domains = itemsOf((await customer.get("/domains")).body);
  expect(new Set(domains.map(({ id }) => id)).size).toBe(500);
  expect(domains.every((domain) => domain.dns_records_count === 2)).toBe(true);

  const { registrar, dns } = await instance.staff.domains.showSandbox({});
  const registered = domains.map((domain) => domain.domain_name).toSorted();
  expect(registrar.map(({ name }) => name).toSorted()).toEqual(registered);
  expect(dns.map(({ name }) => name).toSorted()).toEqual(registered);
  expect((await instance.staff.domains.listRuns({})).runs).toEqual([]);

  const { projections } = await instance.staff.projections.rebuildProjections({ name: "" });
  const rebuilt = projections.map(({ name }) => name);
  expect(rebuilt).toEqual(
    expect.arrayContaining(["invoices", "domains", "process_runs", "servers", "tickets"]),
  );
  expect(projections.filter(({ equal }) => equal !== true)).toEqual([]);
});
