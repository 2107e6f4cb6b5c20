import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";

/** The contract's `Idempotency-Key`: on every POST and PUT. */

let shop: Shop;
let count = 0;

beforeAll(async () => {
  shop = await openShop({ clock: virtualClock(), environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" } });
});

afterAll(() => shop.close());

function freshKey(): Readonly<Record<string, string>> {
  count += 1;
  return { "idempotency-key": `key-${String(count)}` };
}

describe("the same key and the same body", () => {
  it("answers the first outcome again, byte for byte, without a second charge", async () => {
    const client = await shop.customer(10_000n);
    const key = freshKey();
    const body = JSON.stringify({ domain: "once.com", years: 1 });
    const headers = { ...key, "content-type": "application/json", authorization: client.apiKey };
    const answers = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const response = await fetch(`${shop.instance.baseUrl}/domains`, { method: "POST", headers, body });
      answers.push([response.status, await response.text()]);
    }
    expect(answers[0]?.[0]).toBe(201);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await balanceOf(client)).toBe("88.10");
  });

  it("repeats no renewal, order, ticket, reply, record or host name", async () => {
    const client = await shop.customer(10_000n);
    const server = await shop.provision({ of: client });
    const domain = await registerName(client, "many.com");
    const distro = itemsOf((await client.get("/distros")).body)[0]?.id;
    const ticket = objectOf((await client.post("/tickets", { title: "t", message: "m" })).body);
    const ticketId = String(ticket.id ?? objectOf(ticket.ticket).id);
    for (const [method, path, body] of [
      ["POST", `/servers/${String(server)}/renew`, { duration: 1 }],
      ["POST", `/domains/${String(domain)}/renew`, { years: 1 }],
      ["POST", "/order", { plan_id: shop.planId, region_id: shop.regionId, distro_id: distro }],
      ["POST", "/tickets", { title: "once", message: "m" }],
      ["POST", `/tickets/${ticketId}/reply`, { message: "once" }],
      ["POST", `/domains/${String(domain)}/dns`, { type: "A", name: "once", value: "198.51.100.1" }],
      [
        "POST",
        `/servers/${String(server)}/firewall`,
        { type: "in", action: "DROP", proto: "tcp", dport: "23" },
      ],
      ["PUT", `/servers/${String(server)}/hostname`, { hostname: "once" }],
      ["PUT", `/domains/${String(domain)}/settings`, { auto_renew: true }],
    ] as const) {
      const key = freshKey();
      const ask = method === "POST" ? client.post : client.put;
      const first = await ask(path, body, key);
      expect([path, first.status < 300]).toEqual([path, true]);
      const before = [await balanceOf(client), await counts()];
      const again = await ask(path, body, key);
      expect([path, again.status, again.body]).toEqual([path, first.status, first.body]);
      expect([await balanceOf(client), await counts()]).toEqual(before);
    }

    async function counts(): Promise<unknown> {
      const records = objectOf((await client.get(`/domains/${String(domain)}`)).body).dns_records;
      const rules = objectOf((await client.get(`/servers/${String(server)}/firewall`)).body).rules;
      const comments = objectOf((await client.get(`/tickets/${ticketId}`)).body).comments;
      const lists = ["/servers", "/tickets", "/billing/invoices"].map((path) => client.get(path));
      const lengths = (await Promise.all(lists)).map(({ body }) => itemsOf(body).length);
      return [itemsOf(records).length, itemsOf(rules).length, itemsOf(comments).length, ...lengths];
    }
  });

  it("keeps a refunded registration's 500 as the outcome", async () => {
    const client = await shop.customer(10_000n);
    const key = freshKey();
    const first = await client.post("/domains", { domain: "refused-once.com" }, key);
    expect(first.status).toBe(500);
    const again = await client.post("/domains", { domain: "refused-once.com" }, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(itemsOf((await client.get("/billing/invoices")).body)).toHaveLength(3);
  });

  it("409 while the first is running, and one effect", async () => {
    const client = await shop.customer(10_000n);
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.post("/domains", { domain: "lost-race.com" }, key)),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(201);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 409, body: { code: "request_in_progress" } });
    }
    expect(await balanceOf(client)).toBe("88.10");
  });
});

describe("the same key", () => {
  it("422 with another body, path or method", async () => {
    const client = await shop.customer(10_000n);
    const key = freshKey();
    await client.post("/tickets", { title: "one", message: "m" }, key);
    const conflict = { status: 422, body: { status: false, code: "idempotency_conflict" } };
    expect(await client.post("/tickets", { title: "two", message: "m" }, key)).toMatchObject(conflict);
    expect(await client.post("/domains", { domain: "other-path.com" }, key)).toMatchObject(conflict);
    expect(itemsOf((await client.get("/tickets")).body)).toHaveLength(1);
  });

  it("may be used again after a request that failed before any effect", async () => {
    const client = await shop.customer(0n);
    const key = freshKey();
    expect(await client.post("/domains", { domain: "afterwards.com" }, key)).toMatchObject({ status: 400 });
    expect(await client.post("/domains", { domain: "la ter.com" }, key)).toMatchObject({ status: 422 });
    await shop.instance.staff.accounts.topUpAccount({
      accountId: BigInt(client.accountId),
      amountCents: 1_190n,
      reference: "later",
    });
    expect(await client.post("/domains", { domain: "afterwards.com" }, key)).toMatchObject({ status: 201 });
  });

  it("of another account is another key", async () => {
    const key = freshKey();
    const clients = [await shop.customer(), await shop.customer()];
    for (const client of clients) {
      expect(
        await client.post("/tickets", { title: client.apiKey.slice(0, 8), message: "m" }, key),
      ).toMatchObject({ status: 201 });
    }
  });

  it.each(["", "x".repeat(256), "with space", "ümlaut"])("is refused when it is %j", async (value) => {
    const answer = await shop.owner
      .post("/tickets", { title: "t", message: "m" }, { "idempotency-key": value })
      .catch(() => undefined);
    // What fetch cannot even send as a header never reaches us.
    if (answer !== undefined) expect(answer.status).toBe(422);
  });
});
