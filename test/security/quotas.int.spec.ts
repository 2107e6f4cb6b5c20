import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { renderOpenApiDocument } from "@hostledger/gateway";
import { documentedOperations } from "@hostledger/gateway/testing";
import { refused } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";

import { keyedOperations, openThings, sendOperation } from "../support/keyed-operations.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { positionOfLog } from "../support/log-position.ts";
import type { RestAnswer } from "../support/rest-client.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** An account with a valid key, within its rate limit, tries to fill the disk (docs/adr/0048). */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

const setQuota = ({ accountId }: Customer, quota: string, value: number) =>
  shop.instance.staff.accounts.setQuota({
    accountId: BigInt(accountId),
    quota,
    value: BigInt(value),
    reason: "A test.",
  });

const ticket = { title: "A ticket", message: "Please look." };

function expectExceeded(answer: RestAnswer | undefined, quota: string): void {
  expect(answer).toMatchObject({ status: 429, body: { status: false, code: "quota_exceeded", quota } });
  expect(Number(answer?.headers.get("retry-after"))).toBeGreaterThan(0);
}

it("refused requests, each under an Idempotency-Key of its own, leave no event", async () => {
  const customer = await shop.customer();
  const domain = await registerName(shop.stranger, "strangers-own.com");
  const before = await positionOfLog(shop.instance);
  const refused = [
    ["/domains", { domain: "unpaid.com" }, 400],
    ["/domains", { domain: "strangers-own.com" }, 422],
    [`/domains/${String(domain)}/renew`, { years: 1 }, 403],
    ["/servers/999999/renew", { duration: 1 }, 404],
    ["/order", { plan_id: shop.planId, region_id: shop.regionId, distro_id: 1 }, 400],
    ["/tickets", { ...ticket, server_id: 999_999 }, 422],
  ] as const;
  for (let turn = 0; turn < 2; turn += 1) {
    const asked = Array.from({ length: 30 }, (_, index) => refused[index % refused.length] ?? refused[0]);
    const answers = await Promise.all(
      asked.map(([path, body], index) =>
        customer.post(path, body, { "idempotency-key": `refused-${String(turn)}-${String(index)}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(asked.map(([, , status]) => status));
  }
  expect(await positionOfLog(shop.instance)).toBe(before);
});

describe("tickets", () => {
  it("an account opens a limited number of tickets, and another after closing one", async () => {
    const customer = await shop.customer();
    const answers: RestAnswer[] = [];
    for (let index = 0; index < 101; index += 1) answers.push(await customer.post("/tickets", ticket));
    expect(answers.slice(0, 100).every(({ status }) => status === 201)).toBe(true);
    expectExceeded(answers.at(-1), "open_tickets");
    const [first] = itemsOf((await customer.get("/tickets")).body);
    expect(await customer.post(`/tickets/${String(first?.id)}/close`, {})).toMatchObject({ status: 200 });
    expect(await customer.post("/tickets", ticket)).toMatchObject({ status: 201 });
    expectExceeded(await customer.post("/tickets", ticket), "open_tickets");
    expect(await shop.stranger.post("/tickets", ticket)).toMatchObject({ status: 201 });
  });

  it("an account opens no more concurrently than sequentially", async () => {
    const customer = await shop.customer();
    await setQuota(customer, "open_tickets", 3);
    const answers = await Promise.all(Array.from({ length: 12 }, () => customer.post("/tickets", ticket)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(9);
  });

  it("an account writes so much a day, in however many tickets and replies", async () => {
    const customer = await shop.customer();
    await setQuota(customer, "ticket_bytes_a_day", 12_000);
    const opened = await customer.post("/tickets", { ...ticket, message: "ä".repeat(4_000) });
    const { id } = objectOf(objectOf(opened.body).ticket);
    const reply = (message: string) => customer.post(`/tickets/${String(id)}/reply`, { message });
    expect(await reply("One more thing.")).toMatchObject({ status: 200 });
    expectExceeded(await reply("x".repeat(5_000)), "ticket_bytes_a_day");
    expectExceeded(
      await customer.post("/tickets", { ...ticket, message: "x".repeat(5_000) }),
      "ticket_bytes_a_day",
    );
    expect(await reply("Two more things.")).toMatchObject({ status: 200 });
    const { body } = await customer.get(`/tickets/${String(id)}`);
    expect(objectOf(body).comments).toHaveLength(2);
  });

  it("a reply that is repeated adds no event", async () => {
    const customer = await shop.customer();
    const opened = await customer.post("/tickets", ticket);
    const { id } = objectOf(objectOf(opened.body).ticket);
    const reply = (message: string) => customer.post(`/tickets/${String(id)}/reply`, { message });
    const first = await reply("Any news?");
    const before = shop.instance.lastWritten();
    expect(await reply("Any news?")).toEqual({ ...first, headers: expect.anything() });
    expect(shop.instance.lastWritten()).toBe(before);
    expect(await reply("Really none?")).toMatchObject({ status: 200 });
    expect(await reply("Any news?")).toMatchObject({ status: 200 });
    const { body } = await customer.get(`/tickets/${String(id)}`);
    expect(objectOf(body).comments).toHaveLength(3);
  });
});

describe("free writes", () => {
  it("an account changes its domains and servers so often a day", async () => {
    const customer = await shop.customer(10_000n);
    const domain = await registerName(customer, "quota-writes.com");
    const server = await shop.provision({ of: customer, whitelisted: true });
    await setQuota(customer, "free_writes_a_day", 14);
    const record = { type: "A", name: "a", value: "192.0.2.1" };
    const ids: unknown[] = [];
    const dns = `/domains/${String(domain)}/dns`;
    const writes: ((isOn: boolean) => Promise<RestAnswer>)[] = [
      async () => {
        const added = await customer.post(dns, record);
        ids.push(added.status === 201 ? objectOf(objectOf(added.body).record).id : ids.at(-1));
        return added;
      },
      (isOn) =>
        customer.put(`${dns}/${String(ids.at(-1))}`, { ...record, value: isOn ? "192.0.2.2" : "192.0.2.3" }),
      (isOn) => customer.put(`/domains/${String(domain)}/settings`, { auto_renew: isOn }),
      (isOn) => customer.put(`/domains/${String(domain)}/settings`, { whois_privacy: !isOn }),
      (isOn) => customer.put(`/servers/${String(server)}/hostname`, { hostname: isOn ? "web-1" : "web-2" }),
      (isOn) => customer.post(`/servers/${String(server)}/firewall/toggle`, { enable: !isOn }),
      () => customer.post(`/servers/${String(server)}/firewall`, { action: "ACCEPT", type: "in" }),
    ];
    for (const write of writes) expect((await write(true)).status).toBeLessThan(300);
    // A write without a change does not count.
    for (const write of writes.slice(3, 4)) expect(await write(true)).toMatchObject({ status: 200 });
    for (const write of writes.slice(1)) expect((await write(false)).status).toBeLessThan(300);
    expect(await customer.delete(`${dns}/${String(ids.at(-1))}`)).toMatchObject({ status: 200 });
    const before = shop.instance.lastWritten();
    for (const write of [...writes.slice(0, 1), ...writes.slice(2)])
      expectExceeded(await write(true), "free_writes_a_day");
    const nameservers = { use_rdp_nameservers: false, nameservers: ["ns1.example.net", "ns2.example.net"] };
    expectExceeded(
      await customer.put(`/domains/${String(domain)}/nameservers`, nameservers),
      "free_writes_a_day",
    );
    expect(shop.instance.lastWritten()).toBe(before);
    expect(await customer.get(`/domains/${String(domain)}`)).toMatchObject({ status: 200 });
  });
});

describe("orders that come to nothing", () => {
  it.each([
    ["registrations", "/domains", (count: number) => ({ domain: `refused-${String(count)}.com` }), 500],
    [
      "transfers",
      "/domains/transfer",
      (count: number) => ({ domain: `elsewhere-${String(count)}.com`, auth_code: "wrong" }),
      422,
    ],
  ] as const)("are counted: %s", async (_, path, bodyOf, status) => {
    const customer = await shop.customer(10_000n);
    await setQuota(customer, "free_writes_a_day", 20);
    const answers: RestAnswer[] = [];
    for (let count = 0; count < 6; count += 1) answers.push(await customer.post(path, bodyOf(count)));
    expect(answers.slice(0, 5).map((answer) => answer.status)).toEqual([
      status,
      status,
      status,
      status,
      status,
    ]);
    const before = await positionOfLog(shop.instance);
    for (const answer of [answers[5], await customer.post("/domains", { domain: "and-another.com" })])
      expectExceeded(answer, "free_writes_a_day");
    expect(await positionOfLog(shop.instance)).toBe(before);
    // Staff give more.
    await setQuota(customer, "free_writes_a_day", 100);
    await registerName(customer, `paid-${String(path.length)}.com`);
  });

  it("are counted: orders of servers", async () => {
    const customer = await shop.customer(10_000n);
    await setQuota(customer, "free_writes_a_day", 20);
    const order = {
      plan_id: shop.planId,
      region_id: shop.regionId,
      distro_id: 1,
      ssh_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@refused",
    };
    for (let count = 0; count < 5; count += 1)
      expect(await customer.post("/order", order)).toMatchObject({ status: 500 });
    const before = await positionOfLog(shop.instance);
    expectExceeded(await customer.post("/order", order), "free_writes_a_day");
    expect(await positionOfLog(shop.instance)).toBe(before);
  });

  it("are counted: renewals", async () => {
    const refusing = await openShop({
      decorate: {
        registrar: (registrar) => ({
          ...plainRegistrar(registrar),
          renew: () => Promise.resolve(refused("unreachable", "The registry is closed.")),
        }),
      },
    });
    onTestFinished(() => refusing.close());
    const customer = await refusing.customer(10_000n);
    const domain = await registerName(customer, "renewed-in-vain.com");
    await refusing.instance.staff.accounts.setQuota({
      accountId: BigInt(customer.accountId),
      quota: "free_writes_a_day",
      value: 20n,
      reason: "A test.",
    });
    const renew = () => customer.post(`/domains/${String(domain)}/renew`, { years: 1 });
    for (let count = 0; count < 5; count += 1) expect(await renew()).toMatchObject({ status: 500 });
    const before = await positionOfLog(refusing.instance);
    expectExceeded(await renew(), "free_writes_a_day");
    expect(await positionOfLog(refusing.instance)).toBe(before);
  });

  it("are counted: transfers that the other registrar refuses later", async () => {
    const customer = await shop.customer(10_000n);
    await setQuota(customer, "free_writes_a_day", 20);
    const order = (count: number) =>
      customer.post("/domains/transfer", {
        domain: `elsewhere-refused-${String(count)}.com`,
        auth_code: "let-me-go",
      });
    for (let count = 0; count < 5; count += 1) expect(await order(count)).toMatchObject({ status: 202 });
    await expect.poll(() => balanceOf(customer), { timeout: 30_000, interval: 200 }).toBe("100.00");
    await expect
      .poll(async () => (await customer.get("/domains")).body, { timeout: 30_000, interval: 200 })
      .toEqual([]);
    // The runs of the five transfers still record their ends.
    let last: bigint | undefined;
    await expect
      .poll(
        async () => {
          const previous = last;
          last = await positionOfLog(shop.instance);
          return last === previous;
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBe(true);
    const before = await positionOfLog(shop.instance);
    expectExceeded(await order(5), "free_writes_a_day");
    expect(await positionOfLog(shop.instance)).toBe(before);
  });

  it("leave paid orders to a customer whose free changes are used up", async () => {
    const customer = await shop.customer(10_000n);
    await setQuota(customer, "free_writes_a_day", 0);
    expectExceeded(await customer.post("/keys", {}), "free_writes_a_day");
    await registerName(customer, "paid-all-the-same.com");
  });
});

describe("a customer whose quotas are used up", () => {
  /** Operations without a quota, and what prevents them from filling the store. */
  const others: Readonly<Record<string, string>> = {
    "post /domains": "costs money, or counts once it has failed",
    "post /domains/transfer": "costs money, or counts once it has failed",
    "post /domains/{domain}/renew": "costs money, or counts once it has failed",
    "post /domains/{domain}/restore": "costs money, or counts once it has failed",
    "post /order": "costs money, or counts once it has failed",
    "post /servers/{server}/renew": "costs money, or counts once it has failed",
    "post /tickets/{ticket}/close": "once for a ticket, which counted",
    "delete /keys/{key}": "counted when the key was made",
    "delete /billing/methods/{method}": "counted when the method was stored",
    "delete /webhooks/{webhook}": "counted when the webhook was created",
    // Counted all the same (notices-sent-again).
    "post /account/notices/deliveries/{mail}/resend": "stores no event",
    "post /webhooks/{webhook}/deliveries/{delivery}/resend": "stores no event",
    "post /webhooks/{webhook}/test": "stores no event",
  };

  it("is refused every free write, and nothing is stored", async () => {
    const customer = await shop.customer(10_000n);
    // Taken one by one, so that no service has a rest of a part.
    await setQuota(customer, "free_writes_a_day", 20);
    await setQuota(customer, "ticket_bytes_a_day", 10_240);
    const server = await shop.provision({ of: customer, whitelisted: true });
    const things = await openThings(customer, { ...shop, round: 9, server });
    const rule = await customer.post(`/servers/${String(server)}/firewall`, { action: "ACCEPT", type: "in" });
    const { pos } = objectOf(objectOf(rule.body).rule);
    await setQuota(customer, "free_writes_a_day", 0);
    await setQuota(customer, "ticket_bytes_a_day", 0);
    const domain = `/domains/${String(things.domain)}`;
    const sends: [string, () => Promise<RestAnswer>][] = [
      ...keyedOperations(things).map((operation): [string, () => Promise<RestAnswer>] => [
        operation[0],
        () => sendOperation(customer, operation),
      ]),
      ["delete /domains/{domain}", () => customer.delete(domain)],
      [
        "delete /domains/{domain}/dns/{record}",
        () => customer.delete(`${domain}/dns/${String(things.record)}`),
      ],
      [
        "delete /domains/{domain}/dns/rrsets/{name}/{type}",
        () => customer.delete(`${domain}/dns/rrsets/@/A`),
      ],
      [
        "delete /servers/{server}/firewall/{pos}",
        () => customer.delete(`/servers/${String(server)}/firewall/${String(pos)}`),
      ],
    ];
    const documented = documentedOperations(JSON.parse(renderOpenApiDocument()))
      .filter(({ method }) => method !== "get")
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set([...sends.map(([name]) => name), ...Object.keys(others)])].toSorted()).toEqual(
      documented.toSorted(),
    );
    const before = await positionOfLog(shop.instance);
    for (const [name, send] of sends) {
      if (name in others) continue;
      const { status, body } = await send();
      expect([name, status, body]).toMatchObject([name, 429, { code: "quota_exceeded" }]);
    }
    expect(await positionOfLog(shop.instance)).toBe(before);
  });

  it("can revoke its keys and delete its webhooks, which counted when they were made", async () => {
    const customer = await shop.customer();
    await setQuota(customer, "free_writes_a_day", 4);
    const { id } = objectOf((await customer.post("/keys", {})).body);
    const webhook = objectOf((await customer.post("/webhooks", { url: "https://hooks.example.net/" })).body);
    expectExceeded(await customer.post("/keys", {}), "free_writes_a_day");
    expectExceeded(
      await customer.post("/webhooks", { url: "https://hooks.example.net/" }),
      "free_writes_a_day",
    );
    expect(await customer.delete(`/keys/${String(id)}`)).toMatchObject({ status: 200 });
    expect(await customer.delete(`/webhooks/${String(webhook.id)}`)).toMatchObject({ status: 200 });
  });
});

describe("requests with an Idempotency-Key", () => {
  it.each([
    ["/tickets", { title: "", message: "" }, 422],
    ["/tickets", { title: "A ticket" }, 422],
    ["/domains", { domain: "not a name" }, 422],
    ["/domains", { domain: "years.com", years: 11 }, 422],
    ["/servers/0/renew", {}, 404],
    ["/order", {}, 422],
  ])("a wrong one adds no event: POST %s %j", async (path, body, status) => {
    const before = shop.instance.lastWritten();
    const answer = await shop.owner.post(path, body, { "Idempotency-Key": "a-wrong-one" });
    expect(answer.status).toBe(status);
    expect(shop.instance.lastWritten()).toBe(before);
  });
});

it("a change by staff is an event with author and reason", async () => {
  const customer = await shop.customer();
  const { quotas } = await setQuota(customer, "open_tickets", 250);
  expect(quotas.find(({ name }) => name === "open_tickets")).toMatchObject({ value: 250n, standard: 100n });
  const storedEvents: unknown[] = [];
  const accountId = BigInt(customer.accountId);
  for await (const { events } of shop.instance.staff.audits.readEvents({ accountId, types: ["QuotaSet"] }))
    storedEvents.push(...events);
  expect(storedEvents).toEqual([
    expect.objectContaining({
      type: "QuotaSet.v1",
      data: expect.stringContaining('"reason":"A test."'),
      metadata: expect.stringContaining('"actor":"staff'),
    }),
  ]);
});

describe("domains in flight", () => {
  it("an account has a limited number of running orders, and other accounts are not delayed", async () => {
    const customer = await shop.customer(100_000n);
    await setQuota(customer, "domains_in_flight", 2);
    // The other registrar takes half a minute, and a transfer is answered before it does.
    const order = (name: string) =>
      customer.post("/domains/transfer", { domain: `elsewhere-slow-${name}.com`, auth_code: "let-me-go" });
    const answers = await Promise.all(["one", "two", "three", "four"].map(order));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429]);
    expectExceeded(await customer.post("/domains", { domain: "at-last.com" }), "domains_in_flight");
    expect(await shop.stranger.post("/domains", { domain: "not-held-up.com" })).toMatchObject({
      status: 201,
    });
    await setQuota(customer, "domains_in_flight", 3);
    expect(await customer.post("/domains", { domain: "at-last.com" })).toMatchObject({ status: 201 });
  });
});
