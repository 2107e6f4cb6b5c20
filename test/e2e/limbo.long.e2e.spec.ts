import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { auditBooks, hear, readFactsOf } from "../support/books.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let instance: InstanceProcess;

beforeEach(async () => {
  directory = temporaryDirectory();
  instance = await startInstanceProcess(directory.path);
});

afterEach(async () => {
  await instance.kill();
  directory.remove();
});

/** The one row of the sandbox's table that the acceptance suite shortens, at its true length and with all defaults. */
it("limbo of 60 s: refunded at once, the name kept, then cancelled at the registrar and free", async () => {
  const { staff, baseUrl } = instance;
  await sell(staff, "com");
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 10_000n });
  const order = (): Promise<unknown> => customer.post("/domains", { domain: "limbo.com" });

  expect(await order()).toMatchObject({ status: 500, body: { code: "registrar_failed" } });
  expect((await customer.get("/billing/balance")).body).toEqual({ balance: "100.00" });
  expect(await order()).toMatchObject({ status: 409, body: { code: "registration_in_flight" } });
  expect((await customer.get("/domains")).body).toEqual([]);

  await expect
    .poll(async () => (await staff.domains.listRuns({})).runs, { timeout: 180_000, interval: 500 })
    .toEqual([]);
  expect((await staff.domains.showSandbox({})).registrar).toEqual([]);
  expect(await customer.get("/domains/search?domain=limbo.com")).toMatchObject({
    status: 200,
    body: { available: true },
  });
  const testimony = await hear(staff, [customer]);
  expect(await instance.stop()).toBe(0);
  expect(auditBooks({ facts: await readFactsOf(directory.path), ...testimony })).toEqual([]);
});
