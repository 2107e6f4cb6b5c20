import { plainRegistrar } from "@hostledger/providers/testing";
import { expect, it, onTestFinished } from "vitest";

import { startInstance } from "../support/instance.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

it("400 slow orders of one customer keep no order of another customer waiting", async () => {
  const letGo = Promise.withResolvers<undefined>();
  const answered: string[] = [];
  let waiting = 0;
  const instance = await startInstance({
    environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "600000" },
    decorate: {
      registrar: (registrar) => ({
        ...plainRegistrar(registrar),
        async register(order) {
          if (order.name.startsWith("patient-")) {
            waiting += 1;
            await letGo.promise;
          }
          answered.push(order.name);
          return registrar.register(order);
        },
      }),
    },
  });
  onTestFinished(() => instance.close());
  await sell(instance.staff, "com");
  const [many, one] = [
    await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 1_000_000n }),
    await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n }),
  ];
  const names = Array.from({ length: 400 }, (_, index) => `patient-${String(index)}.com`);
  const slow = names.map((domain) => many.post("/domains", { domain }));
  await expect.poll(() => waiting, { timeout: 60_000 }).toBeGreaterThan(names.length / 2);

  const quick = await Promise.race([one.post("/domains", { domain: "quick.com" }), slow[0]]);
  expect(quick).toMatchObject({ status: 201, body: { domain: { domain_name: "quick.com" } } });
  expect(answered).toEqual(["quick.com"]);

  letGo.resolve(undefined);
  await Promise.all(slow);
  expect(answered.length).toBeGreaterThan(names.length / 2);
});
