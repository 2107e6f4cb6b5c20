import { expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { itemsOf } from "../support/matchers.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

it("a full queue answers 503 with Retry-After, and no request has a partial effect", async () => {
  const instance = await startInstance({ environment: { HOSTLEDGER_QUEUE_LIMIT: "3" } });
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 100_000n });
  const names = Array.from({ length: 60 }, (_, index) => `crowd-${String(index)}.com`);
  const answers = await Promise.all(names.map((domain) => customer.post("/domains", { domain })));

  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, body } of refused) {
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(body).toMatchObject({ status: false, code: "overloaded" });
  }
  const succeeded = answers.filter(({ status }) => status === 201);
  expect(succeeded.length).toBeGreaterThan(0);
  expect(succeeded.length + refused.length).toBe(names.length);

  await expect
    .poll(async () => (await instance.staff.domains.listRuns({})).runs, { timeout: 30_000 })
    .toEqual([]);
  expect(itemsOf((await customer.get("/domains")).body)).toHaveLength(succeeded.length);
  expect((await customer.get("/billing/balance")).body).toEqual({
    balance: (1_000 - succeeded.length * 11.9).toFixed(2),
  });
  const { registrar } = await instance.staff.domains.showSandbox({});
  expect(registrar).toHaveLength(succeeded.length);
  await instance.close();
});
