import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { limited } from "../support/limited.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestAnswer, RestClient } from "../support/rest-client.ts";
import { openShop, registerName } from "../support/shop.ts";
import { photographer } from "../support/snapshots.ts";
import { customerAt, type Customer } from "../support/staff-client.ts";

/**
 * Cuts off a request with an `Idempotency-Key` before the first and after each append and provider call. The data is
 * started again, and the client, who got no answer, repeats the request with the key: it gets an answer, and its
 * effect has happened once (contract, "Conventions").
 */

interface Ground {
  readonly domainId: number;
  readonly serverId: number;
  readonly ticketId: number;
  readonly order: object;
}

interface Case {
  readonly name: string;
  readonly method: "post" | "put";
  readonly path: (ground: Ground) => string;
  readonly body: (ground: Ground) => object;
}

const cases: readonly Case[] = [
  { name: "a registration", method: "post", path: () => "/domains", body: () => ({ domain: "cut-off.com" }) },
  {
    name: "a registration whose answer is lost",
    method: "post",
    path: () => "/domains",
    body: () => ({ domain: "lost-cut-off.com" }),
  },
  {
    name: "a registration that is refunded",
    method: "post",
    path: () => "/domains",
    body: () => ({ domain: "refused-cut-off.com" }),
  },
  {
    name: "a renewal of a domain",
    method: "post",
    path: ({ domainId }) => `/domains/${String(domainId)}/renew`,
    body: () => ({ years: 1 }),
  },
  {
    name: "a DNS record",
    method: "post",
    path: ({ domainId }) => `/domains/${String(domainId)}/dns`,
    body: () => ({ type: "A", name: "cut-off", value: "198.51.100.1" }),
  },
  {
    name: "nameservers",
    method: "put",
    path: ({ domainId }) => `/domains/${String(domainId)}/nameservers`,
    body: () => ({ use_rdp_nameservers: false, nameservers: ["ns1.example.org", "ns2.example.org"] }),
  },
  {
    name: "a renewal of a server",
    method: "post",
    path: ({ serverId }) => `/servers/${String(serverId)}/renew`,
    body: () => ({ duration: 3 }),
  },
  { name: "an order", method: "post", path: () => "/order", body: ({ order }) => order },
  {
    name: "a firewall rule",
    method: "post",
    path: ({ serverId }) => `/servers/${String(serverId)}/firewall`,
    body: () => ({ type: "in", action: "DROP", proto: "tcp", dport: "23" }),
  },
  {
    name: "a ticket",
    method: "post",
    path: () => "/tickets",
    body: () => ({ title: "cut off", message: "m" }),
  },
  {
    name: "a reply",
    method: "post",
    path: ({ ticketId }) => `/tickets/${String(ticketId)}/reply`,
    body: () => ({ message: "cut off" }),
  },
];

const environment = { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400", HOSTLEDGER_SANDBOX_LIMBO_MS: "1000" };

/** A recovery mostly waits for time limits and running work. */
const inTurn = limited(4);

const key = { "idempotency-key": "cut-off" };

it.each(cases)("$name takes effect once, wherever the request is cut off", async ({ method, path, body }) => {
  const directory = temporaryDirectory();
  const camera = photographer(directory.path);
  const shop = await openShop({ data: directory.path, environment, decorate: camera.decorators });
  const ground = await prepare(shop.owner, shop);
  camera.begin();
  const undisturbed = await shop.owner[method](path(ground), body(ground), key);
  const snapshots = camera.end();
  const expected = await whatHappened(shop.owner, ground);
  await shop.close();
  directory.remove();

  const findings = snapshots.map((snapshot) =>
    inTurn(async () => {
      const instance = await startInstance({ data: snapshot.data, environment });
      const owner = customerAt(instance.baseUrl, shop.owner);
      const answer = await settledAnswer(() => owner[method](path(ground), body(ground), key));
      const again = await owner[method](path(ground), body(ground), key);
      const happened = await whatHappened(owner, ground);
      await instance.close();
      snapshot.remove();
      return [
        ...(answer.status === undisturbed.status
          ? []
          : [`answers ${String(answer.status)} ${JSON.stringify(answer.body)}`]),
        ...differences("a repeat answers", again.body, answer.body),
        ...differences("what happened is", happened, expected),
      ].map((finding) => `${snapshot.moment}: ${finding}`);
    }),
  );
  expect((await Promise.all(findings)).flat()).toEqual([]);
  expect(snapshots.length).toBeGreaterThan(3);
});

function differences(subject: string, found: unknown, wanted: unknown): readonly string[] {
  const [is, shouldBe] = [JSON.stringify(found), JSON.stringify(wanted)];
  return is === shouldBe ? [] : [`${subject} ${is} and not ${shouldBe}`];
}

async function prepare(
  owner: Customer,
  shop: { readonly planId: number; readonly regionId: number; provision(): Promise<number> },
): Promise<Ground> {
  const domainId = await registerName(owner, "ground.com");
  const serverId = await shop.provision();
  const ticket = objectOf((await owner.post("/tickets", { title: "ground", message: "m" })).body);
  const distroId = itemsOf((await owner.get("/distros")).body)[0]?.id;
  return {
    domainId,
    serverId,
    ticketId: Number(ticket.id ?? objectOf(ticket.ticket).id),
    order: { plan_id: shop.planId, region_id: shop.regionId, distro_id: distroId },
  };
}

/** Returns the answer after nothing of the first attempt is in progress; background work settles within seconds. */
async function settledAnswer(ask: () => Promise<RestAnswer>): Promise<RestAnswer> {
  for (let turn = 1; ; turn += 1) {
    const answer = await ask();
    if (turn === 100 || ![409, 503, 504].includes(answer.status)) return answer;
    await realTiming.sleep(100);
  }
}

/** Returns everything in which a repeated effect would show: money, and numbers of resources. */
async function whatHappened(client: RestClient, ground: Ground): Promise<unknown> {
  const read = async (path: string): Promise<unknown> => (await client.get(path)).body;
  const domain = objectOf(await read(`/domains/${String(ground.domainId)}`));
  const server = objectOf(await read(`/servers/${String(ground.serverId)}`));
  const firewall = objectOf(await read(`/servers/${String(ground.serverId)}/firewall`));
  const ticket = objectOf(await read(`/tickets/${String(ground.ticketId)}`));
  const stock = objectOf(itemsOf(await read("/stock"))[0]?.stock);
  return {
    balance: objectOf(await read("/billing/balance")).balance,
    invoices: itemsOf(await read("/billing/invoices")).map(({ action, brutto }) => [action, brutto]),
    domains: itemsOf(await read("/domains")).map(({ domain_name: name }) => name),
    servers: itemsOf(await read("/servers")).length,
    tickets: itemsOf(await read("/tickets")).map(({ title }) => title),
    comments: itemsOf(ticket.comments).length,
    records: itemsOf(domain.dns_records).map(({ name, value }) => [name, value]),
    nameservers: domain.nameservers,
    domainExpires: domain.expiry_date,
    serverExpires: server.expiry_date,
    rules: itemsOf(firewall.rules).length,
    units: stock.stock,
  };
}
