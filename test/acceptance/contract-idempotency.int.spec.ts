import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { withAppend } from "@hostledger/store";
import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keyedOperations, openThings, sendOperation } from "../support/keyed-operations.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";

/** The contract's `Idempotency-Key`: on every POST and PUT. */

let shop: Shop;
let count = 0;
/** Appended events, oldest first, with their actors. */
const written: { readonly stream: string; readonly actor: unknown }[] = [];

beforeAll(async () => {
  shop = await openShop({
    clock: virtualClock(),
    environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" },
    decorate: {
      // A node is called before its event is stored, and after the claim.
      compute: (compute) => {
        const tell = compute.replaceFirewall.bind(compute);
        return Object.assign(compute, {
          replaceFirewall(...sent: Parameters<typeof tell>) {
            written.push({ stream: "node", actor: actorAsking });
            return tell(...sent);
          },
        });
      },
      store: (store) =>
        withAppend(store, async (stream, expected, events) => {
          for (const { metadata } of events) {
            const { actor } = objectOf(JSON.parse(metadata));
            written.push({ stream, actor });
          }
          return store.append(stream, expected, events);
        }),
    },
  });
});

afterAll(() => shop.close());

/** Actor of the node calls, among requests that are made one at a time. */
let actorAsking: string | undefined;

const documentOfApi = new URL("../../gateway/openapi.json", import.meta.url);

function freshKey(): Readonly<Record<string, string>> {
  count += 1;
  return { "idempotency-key": `key-${String(count)}` };
}

describe("a repeated request with the same key and body", () => {
  it("gets the first answer again, byte for byte, without a second charge", async () => {
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

  it("has no second effect: no renewal, order, ticket, reply, record or host name", async () => {
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

  it("gets the 500 of a refunded registration again", async () => {
    const client = await shop.customer(10_000n);
    const key = freshKey();
    const first = await client.post("/domains", { domain: "refused-once.com" }, key);
    expect(first.status).toBe(500);
    const again = await client.post("/domains", { domain: "refused-once.com" }, key);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(itemsOf((await client.get("/billing/invoices")).body)).toHaveLength(3);
  });

  it("gets 409 while the first request runs, and there is one effect", async () => {
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

describe("an idempotency key", () => {
  it("is claimed before the first event of any request", async () => {
    const client = await shop.customer(100_000n);
    const server = await shop.provision({ of: client, whitelisted: true });
    const asked = keyedOperations(await openThings(client, { ...shop, round: 1, server }));
    // Excluded: resent and test notices are no events (notices-sent-again), and a name that is not withheld
    // cannot be restored.
    const others = [
      "post /account/notices/deliveries/{mail}/resend",
      "post /webhooks/{webhook}/deliveries/{delivery}/resend",
      "post /webhooks/{webhook}/test",
      "post /domains/{domain}/restore",
    ];
    const paths = objectOf(objectOf(JSON.parse(readFileSync(documentOfApi, "utf8"))).paths);
    const keyed = Object.entries(paths).flatMap(([path, methods]) =>
      ["post", "put"].filter((method) => method in objectOf(methods)).map((method) => `${method} ${path}`),
    );
    expect([...asked.map(([name]) => name), ...others].toSorted()).toEqual(keyed.toSorted());
    for (const operation of asked) {
      const [name] = operation;
      const key = freshKey();
      const begin = written.length;
      actorAsking = name.includes("firewall") ? `account:${String(client.accountId)}` : undefined;
      const answer = await sendOperation(client, operation, key);
      expect([name, answer.status, answer.status < 300 ? "" : answer.body]).toEqual([
        name,
        expect.toSatisfy((status: number) => status < 300),
        "",
      ]);
      const id = createHash("sha256")
        .update(`${String(client.accountId)}\0${key["idempotency-key"] ?? ""}`)
        .digest("hex");
      // Sequences give out ids ahead, and say nothing of whom they are for.
      const own = written.slice(begin).filter(({ stream, actor }) => {
        const isAsked = typeof actor === "string" && actor.startsWith(`account:${String(client.accountId)}`);
        return isAsked && !stream.startsWith("sequence-");
      });
      expect([name, own[0]?.stream, own.length > 2]).toEqual([name, `request-${id}`, true]);
    }
  });

  it("is not used up by a request that stored nothing, which runs again", async () => {
    const client = await shop.customer(10_000n);
    const domain = String(await registerName(client, "same.com"));
    const same = { use_rdp_nameservers: true };
    const key = freshKey();
    const path = `/domains/${domain}/nameservers`;
    const begin = written.length;
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await client.put(path, same, key);
      expect(answer.status).toBe(200);
      expect(answer.headers.has("idempotency-replayed")).toBe(false);
    }
    expect(written.slice(begin).filter(({ stream }) => stream.startsWith("request-"))).toEqual([]);
    expect(
      await client.put(
        path,
        { use_rdp_nameservers: false, nameservers: ["ns1.example.net", "ns2.example.net"] },
        key,
      ),
    ).toMatchObject({
      status: 200,
    });
  });
});

describe("the same idempotency key", () => {
  it("answers 422 with another body, path or method", async () => {
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

  it("of another account is a different key", async () => {
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
    // Headers that fetch refuses never reach us.
    if (answer !== undefined) expect(answer.status).toBe(422);
  });
});
