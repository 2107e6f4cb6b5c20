import { renderOpenApiDocument } from "@hostledger/gateway";
import { documentedOperations } from "@hostledger/gateway/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keyedOperations, openThings, sendOperation } from "../support/keyed-operations.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** Input that is right although it is written another way, and refusals that say how it is written (contract, "DNS rules"). */

const own = ["ns2.HOSTLEDGER.example.", "ns1.hostledger.example"];

let shop: Shop;
let zone: string;

beforeAll(async () => {
  shop = await openShop();
  zone = `/domains/${String(await registerName(shop.owner, "dns-test.com"))}`;
});

afterAll(() => shop.close());

const add = (body: object) => shop.owner.post(`${zone}/dns`, body);
const errorsOf = (body: unknown): unknown => objectOf(objectOf(body).errors);

describe("a record", () => {
  it.each([
    ["www1.dns-test.com.", "www1"],
    ["www2.DNS-test.com", "www2"],
    ["dns-test.com", "@"],
  ])("with the name %s is stored as %s", async (name, shown) => {
    const record = { type: "TXT", name, value: `text of ${name}` };
    expect(await add(record)).toMatchObject({ status: 201, body: { record: { name: shown } } });
  });

  it("whose name ends with a dot outside the zone is refused with the reason", async () => {
    const answer = await add({ type: "A", name: "www.", value: "192.0.2.1" });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(errorsOf(answer.body))).toContain("drop the dot");
  });

  it("without a TTL takes the TTL of its set, both added and changed", async () => {
    const first = { type: "A", name: "ttl", value: "192.0.2.1", ttl: 600 };
    await add(first);
    for (const { ttl } of [{}, { ttl: null }])
      expect(
        await add({ type: "A", name: "ttl", value: `192.0.2.${ttl === null ? "2" : "3"}`, ttl }),
      ).toMatchObject({
        status: 201,
        body: { record: { ttl: 600 } },
      });
    const moved = await add({ type: "A", name: "moved", value: "192.0.2.4" });
    expect(moved).toMatchObject({ body: { record: { ttl: 3_600 } } });
    const { id } = objectOf(objectOf(moved.body).record);
    expect(
      await shop.owner.put(`${zone}/dns/${String(id)}`, { type: "A", name: "ttl", value: "192.0.2.4" }),
    ).toMatchObject({ status: 200, body: { record: { ttl: 600 } } });
  });

  it("with a null MX must be alone in its set, with priority 0", async () => {
    const nullMx = { type: "mx", name: "nomail", value: ".", priority: 0 };
    expect(await add({ ...nullMx, priority: 10 })).toMatchObject({ status: 422 });
    expect(await add(nullMx)).toMatchObject({ status: 201, body: { record: { type: "MX", value: "." } } });
    expect(await add({ ...nullMx, value: "mx.example.net", priority: 10 })).toMatchObject({ status: 422 });
    const set = (records: readonly object[]) =>
      shop.owner.put(`${zone}/dns/rrsets/nomail-either/MX`, { records });
    expect(
      await set([
        { value: ".", priority: 0 },
        { value: "mx.example.net", priority: 10 },
      ]),
    ).toMatchObject({ status: 422 });
    expect(await set([{ value: ".", priority: 0 }])).toMatchObject({ status: 200 });
    expect(await shop.owner.delete(`${zone}/dns/rrsets/nomail-either/mx`)).toMatchObject({ status: 200 });
  });

  it.each([
    ["CNAME", "www.example.net.", null],
    ["MX", "mail.example.net.", 10],
    ["NS", "ns1.example.net.", null],
    ["SRV", "5 443 www.example.net.", 0],
  ])("%s is stored without the final dot of its host name", async (type, value, priority) => {
    const kept = value.slice(0, -1);
    const name = `dotted-${type.toLowerCase()}`;
    const added = await add({ type, name, value, priority });
    expect(added).toMatchObject({ status: 201, body: { record: { value: kept } } });
    const { id } = objectOf(objectOf(added.body).record);
    const put = (body: object) =>
      shop.owner.put(`${zone}/dns/${String(id)}`, { type, name, priority, ...body });
    expect(await put({ value })).toMatchObject({ status: 200, body: { record: { value: kept } } });
    const set = `${zone}/dns/rrsets/${name}/${type}`;
    expect(await shop.owner.put(set, { records: [{ value, priority }] })).toMatchObject({
      status: 200,
      body: { records: [{ value: kept }] },
    });
  });

  it("is refused as a CNAME to itself", async () => {
    expect(await add({ type: "CNAME", name: "loop", value: "loop.dns-test.com." })).toMatchObject({
      status: 422,
    });
    const records = [{ value: "loop.dns-test.com" }];
    expect(await shop.owner.put(`${zone}/dns/rrsets/loop/CNAME`, { records })).toMatchObject({ status: 422 });
  });
});

describe("a record set", () => {
  it("is found by its lower-case whole name; without records its TTL is null", async () => {
    const { owner } = shop;
    const path = `${zone}/dns/rrsets/set/a`;
    const put = (body: object) => owner.put(path, body);
    expect(await put({ ttl: 900, records: [{ value: "192.0.2.1" }] })).toMatchObject({ status: 200 });
    expect(await put({ ttl: null, records: [{ value: "192.0.2.2", priority: null }] })).toMatchObject({
      status: 200,
    });
    expect(await owner.get(`${zone}/dns/rrsets/set.dns-test.com./A`)).toMatchObject({
      body: { name: "set", type: "A", ttl: 3_600, records: [{ value: "192.0.2.2" }] },
    });
  });
});

describe("nameservers", () => {
  const dotted = ["ns1.example.net.", "NS2.example.net"];

  it("are accepted with or without a final dot, and stored without one", async () => {
    const kept = ["ns1.example.net", "ns2.example.net"];
    const { owner } = shop;
    expect(await owner.post("/domains", { domain: "dotted.com", nameservers: dotted })).toMatchObject({
      status: 201,
      body: { domain: { nameservers: kept, use_rdp_nameservers: false } },
    });
    const id = await registerName(owner, "second.com");
    const body = { use_rdp_nameservers: false, nameservers: dotted };
    expect(await owner.put(`/domains/${String(id)}/nameservers`, body)).toMatchObject({
      status: 200,
      body: { domain: { nameservers: kept } },
    });
    const both = { domain: "both.com", nameservers: ["ns1.example.net", "ns1.example.net."] };
    expect(await owner.post("/domains", both)).toMatchObject({ status: 422 });
  });

  it("mean the service's nameservers if they are exactly those, in any order", async () => {
    const { owner } = shop;
    const registered = await owner.post("/domains", { domain: "own.com", nameservers: own });
    expect(registered).toMatchObject({
      status: 201,
      body: { domain: { use_rdp_nameservers: true, dns_records_count: 2 } },
    });
    const { id } = objectOf(objectOf(registered.body).domain);
    const path = `/domains/${String(id)}/nameservers`;
    await owner.put(path, { use_rdp_nameservers: false, nameservers: dotted });
    expect(await owner.put(path, { use_rdp_nameservers: false, nameservers: own })).toMatchObject({
      status: 200,
      body: { domain: { use_rdp_nameservers: true } },
    });
  });

  it("of the service make the domain managed after a transfer, too", async () => {
    const { owner } = shop;
    const order = { domain: "own-elsewhere.com", auth_code: "let-me-go", nameservers: own };
    const asked = await owner.post("/domains/transfer", order);
    expect(asked).toMatchObject({ status: 202 });
    const { id } = objectOf(objectOf(asked.body).domain);
    await expect
      .poll(async () => (await owner.get(`/domains/${String(id)}`)).body, { timeout: 20_000 })
      .toMatchObject({ status: "active", use_rdp_nameservers: true, dns_records_count: 2 });
  });
});

describe("null for a field that is required", () => {
  it("is refused like a missing field", async () => {
    const { owner } = shop;
    const answers = await Promise.all(
      [{}, { use_rdp_nameservers: null }].map((body) =>
        owner.put(`${zone}/nameservers`, {
          ...body,
          nameservers: ["ns1.example.net", "ns2.example.net"],
        }),
      ),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(422);
      expect(errorsOf(body)).toEqual({ use_rdp_nameservers: [expect.stringContaining("is required")] });
    }
  });
});

describe("null for a field that may be left out", () => {
  it("counts as missing", async () => {
    const { owner } = shop;
    const order = { domain: "nulls.com", years: null, auto_renew: null, nameservers: null };
    expect(await owner.post("/domains", order)).toMatchObject({
      status: 201,
      body: { years: 1, domain: { auto_renew: false, use_rdp_nameservers: true } },
    });
    const server = await shop.provision();
    expect(await owner.post(`/servers/${String(server)}/renew`, { duration: null })).toMatchObject({
      status: 200,
    });
    const rule = { action: "ACCEPT", type: "in", proto: null, dport: null, comment: null, enable: null };
    expect(await owner.post(`/servers/${String(server)}/firewall`, rule)).toMatchObject({ status: 201 });
    expect(
      await owner.post("/tickets", { title: "A", message: "B", priority: null, server_id: null }),
    ).toMatchObject({
      status: 201,
    });
  });
});

describe("null in every optional field that a request leaves out", () => {
  it("changes nothing: each operation with a body succeeds as without the nulls", async () => {
    const customer = await shop.customer(100_000n);
    const server = await shop.provision({ of: customer, whitelisted: true });
    const things = await openThings(customer, { ...shop, round: 2, server });
    const described = new Map(
      documentedOperations(JSON.parse(renderOpenApiDocument())).map((one) => [
        `${one.method} ${one.path}`,
        one,
      ]),
    );
    let nulls = 0;
    for (const [name, path, body] of keyedOperations(things)) {
      const { properties = {}, required = [] } = described.get(name)?.body ?? {};
      const absent = Object.keys(properties).filter((field) => !required.includes(field) && !(field in body));
      // In profiles and notices, null clears a value; here there is none.
      const withNulls = { ...Object.fromEntries(absent.map((field) => [field, null])), ...body };
      const answer = await sendOperation(customer, [name, path, withNulls]);
      expect([name, answer.status < 300, answer.status < 300 ? "" : answer.body]).toEqual([name, true, ""]);
      nulls += absent.length;
    }
    expect(nulls).toBeGreaterThan(25);
  });
});

describe("a firewall rule", () => {
  it("is refused for addresses of two families", async () => {
    const path = `/servers/${String(await shop.provision())}/firewall`;
    const rule = { action: "ACCEPT", type: "in", source: "192.0.2.1", dest: "2001:db8::/32" };
    const answer = await shop.owner.post(path, rule);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer.body)).toHaveProperty("dest");
    for (const [proto, source] of [
      ["icmp", "2001:db8::1"],
      ["ipv6-icmp", "192.0.2.0/24"],
    ] as const) {
      const refused = await shop.owner.post(path, { action: "ACCEPT", type: "in", proto, source });
      expect(refused.status).toBe(422);
      expect(errorsOf(refused.body)).toHaveProperty("proto", [expect.stringContaining(source)]);
    }
    expect(itemsOf(objectOf((await shop.owner.get(path)).body).rules)).toHaveLength(2);
    const right = { action: "ACCEPT", type: "in", proto: "ipv6-icmp", source: "2001:db8::1" };
    expect(await shop.owner.post(path, right)).toMatchObject({
      status: 201,
      body: { rule: { proto: "ipv6-icmp" } },
    });
  });
});

describe("a refusal names the correct form", () => {
  it.each([
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["trail.com.", "drop the dot and send trail.com"],
    ["www.example.com", "subdomains are refused"],
  ])("of %s", async (domain, said) => {
    const answer = await shop.owner.post("/domains", { domain });
    expect(answer.status).toBe(422);
    expect(objectOf(answer.body).error).toContain(said);
  });

  it("of a renewal past the registry's cap", async () => {
    const answer = await shop.owner.post(`${zone}/renew`, { years: 10 });
    expect(answer.status).toBe(422);
    expect(objectOf(answer.body).error).toMatch(/years must be a whole number from 1 to 9.*10 years ahead/);
  });
});
