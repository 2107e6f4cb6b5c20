import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { limited } from "../support/limited.ts";
import { anyNumber, itemsOf } from "../support/matchers.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

/**
 * Behind EventStoreDB's protocol, server and instance share the test's one thread: a thousand requests at once would wait for
 * each other until the last appends are too late, which is refused as it should be.
 */
const inFlight = process.env.TEST_EVENT_STORE === "node" ? 250 : 1_000;

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await sell(instance.staff, "com");
});

afterAll(() => instance.close());

it("1,000 concurrent registrations with money for exactly 500: 500 succeed, no gap, no cent left", async () => {
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 500n * 1_190n });
  const names = Array.from({ length: 1_000 }, (_, index) => `bulk-${String(index)}.com`);
  const atOnce = limited(inFlight);
  const answers = await Promise.all(
    names.map((domain) => atOnce(() => customer.post("/domains", { domain }))),
  );

  const byStatus = Map.groupBy(answers, ({ status }) => status);
  expect([...byStatus].map(([status, group]) => [status, group.length]).toSorted()).toEqual([
    [201, 500],
    [400, 500],
  ]);
  for (const { body } of byStatus.get(400) ?? []) {
    expect(body).toMatchObject({
      code: "insufficient_balance",
      required: 11.9,
      available: anyNumber,
    });
  }
  expect((await customer.get("/billing/balance")).body).toEqual({ balance: "0.00" });

  const purchases = itemsOf((await customer.get("/billing/invoices")).body).filter(
    ({ action }) => action === "purchase",
  );
  const year = new Date().getUTCFullYear();
  expect(purchases.map(({ number }) => number).toSorted()).toEqual(
    Array.from(
      { length: 500 },
      (_, index) => `${String(year)}-${String(customer.accountId)}-${String(index + 1).padStart(6, "0")}`,
    ),
  );
  expect(new Set(purchases.map(({ id }) => id)).size).toBe(500);

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
