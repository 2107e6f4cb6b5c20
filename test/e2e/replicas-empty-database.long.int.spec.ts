import { realTiming } from "@hostledger/runtime";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";

import { readEventsOf } from "../support/books.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { startSharedPlace } from "../support/shared-place.ts";
import { offerServers, openCustomer, sell } from "../support/staff-client.ts";

const unavailable = { status: 503, body: { code: "temporarily_unavailable" } };

/** Keys are cached for a second, and an order within it goes through. */
const keyCacheMs = 1_100;

const registration = ["/domains", { domain: "without.com" }] as const;
const transfer = ["/domains/transfer", { domain: "elsewhere.com", auth_code: "let-me-go" }] as const;

it("replicas on a PostgreSQL that lost its data show no empty lists, repeat no effect, and do not start on it", async () => {
  const postgres = await openPostgres();
  // The answers without any data.
  await postgres.crashAnd("keep");
  await postgres.start();
  const { customer, place, serverOrder } = await openShop(postgres);
  const key = { "idempotency-key": "one-order" };
  expect(await customer.post("/domains", { domain: "before.com" })).toMatchObject({ status: 201 });

  await postgres.crashAnd("restore");
  await postgres.start();
  await expect.poll(async () => (await customer.get("/domains")).status, { timeout: 60_000 }).toBe(503);
  await realTiming.sleep(keyCacheMs);
  // An invoice names its buyer, sealed (ADR 0186), and a request with a key stores a sealed fingerprint first (ADR 0019):
  // without the sealing keys no order begins.
  for (const [path, body] of [registration, transfer, serverOrder])
    expect(await customer.post(path, body), path).toMatchObject(unavailable);
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect(await customer.post("/domains", { domain: "sealed.com" }, key)).toMatchObject(unavailable);
  await expect(place.replica()).rejects.toThrow("hostledger_keys in PostgreSQL is empty");
  // The tables that the refused one has made change nothing.
  expect((await customer.get("/domains")).status).toBeGreaterThanOrEqual(500);

  await place.stop();
  const events = await readEventsOf(place.data);
  const streamsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ stream }) => stream);
  expect(streamsOf("RegistrationReserved")).toEqual(["domain-before.com"]);
  expect(streamsOf("DomainRegistered")).toEqual(["domain-before.com"]);
  expect(streamsOf("BalanceCharged")).toHaveLength(1);
  expect(events.filter(({ stream }) => /without|elsewhere|^serverorder/.test(stream))).toEqual([]);
});

it("orders of every kind are refused while only the sealing keys are missing, and accepted when they are back", async () => {
  const postgres = await openPostgres();
  const { customer, place, serverOrder } = await openShop(postgres);
  const domain = await customer.post("/domains", { domain: "before.com" });
  const server = await customer.post(...serverOrder);
  const orders = [
    registration,
    transfer,
    serverOrder,
    [`/domains/${String(Number(objectOf(objectOf(domain.body).domain).id))}/renew`, { years: 1 }],
    [`/servers/${String(Number(objectOf(server.body).server_id))}/renew`, { duration: 1 }],
  ] as const;
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const balance = async () => (await customer.get("/account")).body;
  const before = await balance();

  await client.query("alter schema hostledger_keys rename to keys_elsewhere");
  await realTiming.sleep(keyCacheMs);
  for (const [path, body] of orders) expect(await customer.post(path, body), path).toMatchObject(unavailable);
  expect(await balance()).toEqual(before);
  await client.query("alter schema keys_elsewhere rename to hostledger_keys");
  await client.end();

  // No name was reserved: the same orders succeed.
  for (const [path, body] of orders) expect((await customer.post(path, body)).status, path).toBeLessThan(300);
  await place.stop();
  const events = await readEventsOf(place.data);
  expect(events.filter(({ type }) => type === "BalanceCharged")).toHaveLength(2 + orders.length);
});

async function openPostgres(): Promise<PostgresServer> {
  const postgres = await startPostgresServer();
  onTestFinished(() => postgres.stop());
  return postgres;
}

/** A replica that sells `.com` and servers, and a customer with money. */
async function openShop(postgres: PostgresServer) {
  const place = await startSharedPlace(postgres);
  onTestFinished(() => place.close());
  const { staff, baseUrl } = await place.replica();
  await sell(staff, "com");
  const { planId, regionId } = await offerServers(staff);
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 1_000_000n });
  const distroId = itemsOf((await customer.get("/distros")).body)[0]?.id;
  const body = { plan_id: Number(planId), region_id: Number(regionId), distro_id: distroId };
  return { customer, place, serverOrder: ["/order", body] as const };
}
