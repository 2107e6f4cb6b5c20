import { type VirtualClock, eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { auditBooks, hear, readFactsOf } from "../support/books.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let clock: VirtualClock;
let instance: Instance;

beforeEach(async () => {
  directory = temporaryDirectory();
  clock = virtualClock();
  instance = await startInstance({ data: directory.path, clock });
});

afterEach(async () => {
  await instance.close();
  directory.remove();
});

/** The sandbox's `limbo` at its length and with all defaults, in virtual time; `limbo.long.e2e` waits for it truly. */
it("limbo of 60 s: refunded at once, the name kept, then cancelled at the registrar and free", async () => {
  const { staff, baseUrl } = instance;
  await sell(staff, "com");
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 10_000n });
  const order = (): Promise<unknown> => customer.post("/domains", { domain: "limbo.com" });

  expect(await order()).toMatchObject({ status: 500, body: { code: "registrar_failed" } });
  expect((await customer.get("/billing/balance")).body).toEqual({ balance: "100.00" });
  expect(await order()).toMatchObject({ status: 409, body: { code: "registration_in_flight" } });
  expect((await customer.get("/domains")).body).toEqual([]);

  const hasEnded = async (): Promise<void> => {
    expect((await staff.domains.listRuns({})).runs).toEqual([]);
  };
  await eventually(clock, hasEnded, { everyMs: 1_000 });
  expect((await staff.domains.showSandbox({})).registrar).toEqual([]);
  expect(await customer.get("/domains/search?domain=limbo.com")).toMatchObject({
    status: 200,
    body: { available: true },
  });
  const testimony = await hear(staff, [customer]);
  await instance.close();
  expect(auditBooks({ facts: await readFactsOf(directory.path), ...testimony })).toEqual([]);
});
