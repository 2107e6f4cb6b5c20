import { readFileSync } from "node:fs";
import { Resolver } from "node:dns/promises";

import { startPowerdns, type PowerdnsServer } from "@hostledger/providers/testing";
import { createLogger, systemClock } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { filesBelow } from "../support/files-below.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

const registrations = 100;

/** Creates a shop with zones in a real PowerDNS, and collects its log. */
async function openPowerdnsShop(): Promise<{ server: PowerdnsServer; shop: Shop; logged: string[] }> {
  const server = await startPowerdns();
  onTestFinished(() => server.remove());
  const logged: string[] = [];
  const sink = { write: (line: string) => logged.push(line) > 0 };
  const shop = await openShop({
    environment: {
      HOSTLEDGER_DNS: "powerdns",
      HOSTLEDGER_POWERDNS_URL: server.url.origin,
      HOSTLEDGER_POWERDNS_API_KEY: server.apiKey,
    },
    logger: createLogger({ level: "trace", sink }),
  });
  onTestFinished(() => shop.close());
  return { server, shop, logged };
}

const saysThatItIsThere: unknown = expect.stringContaining("The zone exists now");

/** Returns the comments on each of a customer's tickets, with their authors. */
async function commentsOf(customer: Customer): Promise<unknown[]> {
  const { body: tickets } = await customer.get("/tickets");
  const read = itemsOf(tickets).map(async (ticket) => {
    const { body } = await customer.get(`/tickets/${String(objectOf(ticket).id)}`);
    return itemsOf(objectOf(body).comments).map((item) => {
      const { staff, comment } = objectOf(item);
      return { staff, comment };
    });
  });
  return Promise.all(read);
}

it("the instance registers a hundred names while PowerDNS is stopped, and creates their zones later", async () => {
  const { server, shop, logged } = await openPowerdnsShop();
  const { instance } = shop;
  const customer = await shop.customer(1_000_000n);
  await server.stop();
  const names = Array.from({ length: registrations }, (_, index) => `stopped-${String(index)}.com`);
  const answers = await Promise.all(names.map((domain) => customer.post("/domains", { domain })));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  expect(answers.map(({ body }) => objectOf(objectOf(body).domain).dns_records_count)).toEqual(
    names.map(() => 0),
  );
  await eventually(systemClock(), async () => {
    const { body } = await customer.get("/tickets");
    const titles = Array.isArray(body) ? body.map((ticket) => objectOf(ticket).title) : [];
    expect(titles.toSorted()).toEqual(names.map((name) => `The DNS zone of ${name}`).toSorted());
  });

  await server.start();
  const resolver = new Resolver();
  resolver.setServers([server.dnsAddress]);
  await eventually(systemClock(), async () => {
    const addresses = await Promise.all(names.map((name) => resolver.resolve4(`www.${name}`)));
    expect(addresses.flat()).toEqual(names.map(() => "192.0.2.10"));
  });
  await eventually(systemClock(), async () => {
    const { body } = await customer.get("/domains");
    const counts = Array.isArray(body) ? body.map((domain) => objectOf(domain).dns_records_count) : [];
    expect(counts).toEqual(names.map(() => 2));
  });
  await eventually(systemClock(), async () => {
    const comments = await commentsOf(customer);
    expect(comments).toEqual(names.map(() => [{ staff: true, comment: saysThatItIsThere }]));
  });

  // The key is in no log, event, read model or answer.
  const stored = filesBelow(instance.data).map((path) => readFileSync(path, "latin1"));
  const said = [...logged, ...answers.map(({ body }) => JSON.stringify(body)), ...stored];
  expect(said.join("")).toContain("stopped-7.com");
  expect(said.filter((text) => text.includes(server.apiKey))).toEqual([]);
});

it("a change of a record fails with the reason while PowerDNS is stopped, and succeeds later", async () => {
  const { server, shop } = await openPowerdnsShop();
  const { owner } = shop;
  const registered = await owner.post("/domains", { domain: "changed.com" });
  const id = String(objectOf(objectOf(registered.body).domain).id);
  const record = { type: "TXT", name: "@", value: 'v=spf1 "a" -all', ttl: 60 };
  await server.stop();
  expect(await owner.post(`/domains/${id}/dns`, record)).toMatchObject({ status: 502 });
  await server.start();
  await eventually(systemClock(), async () => {
    const { status } = await owner.post(`/domains/${id}/dns`, record);
    expect([201, 422]).toContain(status);
  });
  const resolver = new Resolver();
  resolver.setServers([server.dnsAddress]);
  expect((await resolver.resolveTxt("changed.com")).map((strings) => strings.join(""))).toEqual([
    'v=spf1 "a" -all',
  ]);
});
