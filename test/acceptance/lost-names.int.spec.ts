import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { type VirtualClock, eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { openCustomer, sell } from "../support/staff-client.ts";
import { registryFile } from "../support/tried-registrar.ts";

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

/** Removes an acknowledged order, as a power cut does with the sandbox's default durability. */
function forget(name: string): void {
  const sandbox = new DatabaseSync(join(directory.path, registryFile));
  const { changes } = sandbox.prepare("DELETE FROM domain WHERE name = ?").run(name);
  sandbox.close();
  expect(changes).toBe(1);
}

it("staff get a ticket about a name that the registrar lost, before its customer notices", async () => {
  const { staff, baseUrl } = instance;
  await sell(staff, "com");
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 10_000n });
  for (const domain of ["kept.com", "gone.com"])
    expect(await customer.post("/domains", { domain })).toMatchObject({ status: 201 });
  forget("gone.com");

  await eventually(
    clock,
    async () => {
      const { tickets } = await staff.support.listAllTickets({ openOnly: true });
      expect(tickets).toMatchObject([
        { accountId: 0n, ticket: { title: "The registrar does not hold gone.com", priority: "emergency" } },
      ]);
    },
    { everyMs: 5_000 },
  );
});
