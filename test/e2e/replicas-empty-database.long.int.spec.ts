import { startPostgresServer } from "@hostledger/projections/testing";
import { expect, it, onTestFinished } from "vitest";

import { readFactsOf } from "../support/books.ts";
import { startSharedPlace } from "../support/shared-place.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

it("a PostgreSQL that comes without its data shows no empty list, lets nothing be done twice, and lets nobody begin with it", async () => {
  const postgres = await startPostgresServer();
  onTestFinished(() => postgres.stop());
  // What it is like without any data.
  await postgres.crashAnd("keep");
  await postgres.start();
  const place = await startSharedPlace(postgres);
  onTestFinished(() => place.close());
  const replica = await place.replica();
  await sell(replica.staff, "com");
  const customer = await openCustomer(replica.staff, replica.baseUrl, { balanceCents: 1_000_000n });
  const order = (domain: string) => customer.post("/domains", { domain }, { "idempotency-key": domain });
  expect(await order("before.com")).toMatchObject({ status: 201 });

  await postgres.crashAnd("restore");
  await postgres.start();
  await expect.poll(async () => (await customer.get("/domains")).status, { timeout: 60_000 }).toBe(503);
  // An order may be carried out where only its answer cannot be read back: asked again, it is that one.
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect((await order("without.com")).status).toBeGreaterThanOrEqual(500);
  await expect(place.replica()).rejects.toThrow("hostledger_keys in PostgreSQL has no keys");
  // The tables that the refused one has made change nothing.
  expect((await customer.get("/domains")).status).toBeGreaterThanOrEqual(500);

  await place.stop();
  const facts = await readFactsOf(place.data);
  const streamsOf = (type: string) => facts.filter((fact) => fact.type === type).map(({ stream }) => stream);
  const registered = streamsOf("DomainRegistered");
  expect(registered).toContain("domain-before.com");
  expect(registered).toEqual([...new Set(registered)]);
  expect(streamsOf("BalanceCharged")).toHaveLength(registered.length);
});
