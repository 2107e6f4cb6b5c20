import { startPowerdns, type PowerdnsServer } from "@hostledger/providers/testing";
import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** Zones of sold names that belong to somebody else at a real PowerDNS. */

const clock = virtualClock();
let server: PowerdnsServer;
let shop: Shop;

beforeAll(async () => {
  server = await startPowerdns();
  shop = await openShop({
    clock,
    environment: {
      HOSTLEDGER_DNS: "powerdns",
      HOSTLEDGER_POWERDNS_URL: server.url.origin,
      HOSTLEDGER_POWERDNS_API_KEY: server.apiKey,
    },
  });
});
afterAll(async () => {
  await shop.close();
  await server.remove();
});

/** The API as the server's operator asks it. */
async function powerdns(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(new URL(`/api/v1/servers/localhost${path}`, server.url), {
    method,
    headers: { "x-api-key": server.apiKey, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

const foreignZone = (name: string, account: string) =>
  powerdns("POST", "/zones", {
    name: `${name}.`,
    kind: "Native",
    account,
    nameservers: ["ns1.other.example."],
    rrsets: [
      { name: `${name}.`, type: "A", ttl: 60, records: [{ content: "203.0.113.66", disabled: false }] },
    ],
  });

async function reconcile(...flags: readonly string[]) {
  const { code, document, stderr } = await commandInProcess(shop.instance, clock, "reconcile", ...flags);
  const differences = itemsOf(objectOf(document).differences).map(({ kind, resource, found }) => [
    kind,
    resource,
    found,
  ]);
  return { code, stderr, differences };
}

it.each([
  [
    "another installation",
    "hostledger-q8w2n5",
    "a zone of the account hostledger-q8w2n5",
    /belongs to somebody else/,
  ],
  ["another program", "billing", "a zone of the account billing", /belongs to somebody else/],
  ["nobody", "", "a zone with 1 other records", /with other records/],
])(
  "reconcile reports a zone of %s, and opens a ticket with the reason that closes itself",
  async (of, account, found, reason) => {
    const name = `foreign-of-${of.replace(" ", "-")}.com`;
    await foreignZone(name, account);
    const customer = await shop.customer(10_000n);
    await registerName(customer, name);
    await eventually(clock, async () => {
      expect((await customer.get("/tickets")).body).toMatchObject([
        { status: "open", priority: "emergency", title: `The DNS zone of ${name}` },
      ]);
    });
    const [{ id: ticketId } = { id: 0 }] = itemsOf((await customer.get("/tickets")).body);
    const path = `/tickets/${String(ticketId)}`;
    expect(objectOf((await customer.get(path)).body).message).toMatch(reason);
    const differs = { code: 1, stderr: "1 thing differs.\n", differences: [["zone-foreign", name, found]] };
    expect(await reconcile()).toMatchObject(differs);
    expect(await reconcile("--fix")).toMatchObject({ code: 1, differences: [["zone-foreign", name, found]] });
    expect(objectOf(await powerdns("GET", `/zones/${name}.`)).account).toBe(account);

    await powerdns("DELETE", `/zones/${name}.`);
    await eventually(clock, async () => {
      expect((await customer.get(path)).body).toMatchObject({
        status: "closed",
        comments: [{ staff: true, comment: expect.stringContaining("The zone exists now") }],
      });
    });
    expect(await reconcile()).toMatchObject({ code: 0, differences: [] });
  },
);

it("reconcile names a zone that another account took over, and nothing changes the zone", async () => {
  const id = await registerName(shop.owner, "annexed.com");
  const zone = "/zones/annexed.com.";
  const { account } = objectOf(await powerdns("GET", zone));
  await powerdns("PUT", zone, { account: "billing" });
  const before = objectOf(await powerdns("GET", zone)).rrsets;
  const record = { type: "A", name: "new", value: "192.0.2.7", ttl: 300 };
  expect(await shop.owner.post(`/domains/${String(id)}/dns`, record)).toMatchObject({ status: 502 });
  expect(objectOf(await powerdns("GET", zone)).rrsets).toEqual(before);
  const differences = [["zone-foreign", "annexed.com", "a zone of the account billing"]];
  expect(await reconcile("--fix")).toMatchObject({ code: 1, differences });
  await powerdns("PUT", zone, { account });
  expect(await reconcile()).toMatchObject({ code: 0, differences: [] });
  expect(await shop.owner.post(`/domains/${String(id)}/dns`, record)).toMatchObject({ status: 201 });
});

it("the DNS server accepts an IPv6 address with an IPv4 ending, and reconcile reports no difference", async () => {
  const id = String(await registerName(shop.owner, "mapped.com"));
  const record = { type: "AAAA", name: "six", value: "::ffff:192.0.2.1", ttl: 300 };
  expect(await shop.owner.post(`/domains/${id}/dns`, record)).toMatchObject({ status: 201 });
  expect(
    await shop.owner.put(`/domains/${id}/dns/rrsets/set/AAAA`, {
      ttl: 300,
      records: [{ value: "64:ff9b::192.0.2.33" }],
    }),
  ).toMatchObject({ status: 200 });
  expect(await reconcile()).toMatchObject({ code: 0, differences: [] });
});
