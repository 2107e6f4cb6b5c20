import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import { expect, it, onTestFinished } from "vitest";

import { readEventsOf } from "../support/books.ts";
import { startSharedPlace } from "../support/shared-place.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

it("replicas on a PostgreSQL that lost its data show no empty lists, repeat no effect, and do not start on it", async () => {
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
  const key = { "idempotency-key": "one-order" };
  expect(await customer.post("/domains", { domain: "before.com" })).toMatchObject({ status: 201 });

  await postgres.crashAnd("restore");
  await postgres.start();
  await expect.poll(async () => (await customer.get("/domains")).status, { timeout: 60_000 }).toBe(503);
  // An invoice names its buyer, sealed (ADR 0186): without the sealing keys nothing is charged, and the order waits for them.
  expect(await customer.post("/domains", { domain: "without.com" })).toMatchObject({
    status: 504,
    body: { code: "deadline_exceeded" },
  });
  // A request with a key stores a sealed fingerprint first (ADR 0019): without the sealing keys its order does not begin.
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect(await customer.post("/domains", { domain: "sealed.com" }, key)).toMatchObject({
      status: 503,
      body: { code: "temporarily_unavailable" },
    });
  await expect(place.replica()).rejects.toThrow("hostledger_keys in PostgreSQL has no keys");
  // The tables that the refused one has made change nothing.
  expect((await customer.get("/domains")).status).toBeGreaterThanOrEqual(500);

  await place.stop();
  const events = await readEventsOf(place.data);
  const streamsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ stream }) => stream);
  const registered = streamsOf("DomainRegistered");
  expect(registered).toEqual(["domain-before.com"]);
  expect(streamsOf("BalanceCharged")).toHaveLength(registered.length);
});
