import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyNumber, anyTimestamp, itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.5, `PUT /domains/{domain}/dns/{record}`, and the contract's `POST` and `DELETE` beside it. */

let shop: Shop;
let count = 0;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

async function freshDomain(): Promise<{ id: number; name: string; apex: number; www: number }> {
  count += 1;
  const name = `dns-${String(count)}.com`;
  const id = await registerName(shop.owner, name);
  const [apex, www] = await recordsOf(id);
  return { id, name, apex: Number(apex?.id), www: Number(www?.id) };
}

async function recordsOf(id: number): Promise<ReturnType<typeof itemsOf>> {
  return itemsOf(objectOf((await shop.owner.get(`/domains/${String(id)}`)).body).dns_records);
}

/** Returns the DNS server's answer for the zone, independent of our books. */
async function served(zone: string): Promise<unknown> {
  const { dns } = await shop.instance.staff.domains.showSandbox({});
  return dns
    .find(({ name }) => name === zone)
    ?.records.map(({ type, name, value, ttl, priority }) => ({ type, name, value, ttl, priority }));
}

const dns = (id: number, record?: number): string =>
  `/domains/${String(id)}/dns${record === undefined ? "" : `/${String(record)}`}`;

describe("PUT /domains/{domain}/dns/{record}", () => {
  it("updates an existing record in the service and at the DNS server", async () => {
    const { id, name, www } = await freshDomain();
    const body = { type: "AAAA", name: "www", value: "2001:db8::10", ttl: 60 };
    expect(await shop.owner.put(dns(id, www), body)).toMatchObject({
      status: 200,
      body: {
        status: true,
        message: "DNS record updated",
        record: { id: www, ...body, priority: null, created_at: anyTimestamp },
      },
    });
    expect((await recordsOf(id)).find((record) => record.id === www)).toMatchObject(body);
    expect(await served(name)).toEqual([
      { type: "A", name: "@", value: "192.0.2.10", ttl: 3600, priority: undefined },
      { type: "AAAA", name: "www", value: "2001:db8::10", ttl: 60, priority: undefined },
    ]);
  });

  it("uses ttl 3600 and priority null if they are missing", async () => {
    const { id, www } = await freshDomain();
    expect(
      await shop.owner.put(dns(id, www), { type: "A", name: "www", value: "198.51.100.7" }),
    ).toMatchObject({ status: 200, body: { record: { ttl: 3600, priority: null } } });
  });

  it.each<[string, object, string]>([
    ["type is missing", { name: "x", value: "192.0.2.1" }, "type"],
    ["an unknown type", { type: "SPF", name: "x", value: "192.0.2.1" }, "type"],
    ["name is missing", { type: "A", value: "192.0.2.1" }, "name"],
    ["a name of 256 characters", { type: "A", name: "a".repeat(256), value: "192.0.2.1" }, "name"],
    ["a wildcard inside", { type: "A", name: "a.*", value: "192.0.2.1" }, "name"],
    ["value is missing", { type: "A", name: "x" }, "value"],
    ["a value of 1,001 characters", { type: "TXT", name: "x", value: "v".repeat(1_001) }, "value"],
    ["A that is no IPv4 address", { type: "A", name: "x", value: "2001:db8::1" }, "value"],
    ["AAAA that is no IPv6 address", { type: "AAAA", name: "x", value: "192.0.2.1" }, "value"],
    ["CNAME at the apex", { type: "CNAME", name: "@", value: "example.org" }, "name"],
    ["CNAME beside another record", { type: "CNAME", name: "@", value: "example.org" }, "name"],
    ["MX without priority", { type: "MX", name: "@", value: "mx.example.org" }, "priority"],
    ["MX to an address", { type: "MX", name: "@", value: "192.0.2.1", priority: 10 }, "value"],
    ["SRV without priority", { type: "SRV", name: "_sip._tcp", value: "5 5060 sip.example.org" }, "priority"],
    ["SRV of two parts", { type: "SRV", name: "_sip._tcp", value: "5060 sip", priority: 1 }, "value"],
    ["CAA with another tag", { type: "CAA", name: "@", value: "0 other ca.example.org" }, "value"],
    ["ttl 59", { type: "A", name: "x", value: "192.0.2.1", ttl: 59 }, "ttl"],
    ["ttl 86401", { type: "A", name: "x", value: "192.0.2.1", ttl: 86_401 }, "ttl"],
    ["priority -1", { type: "MX", name: "@", value: "mx.example.org", priority: -1 }, "priority"],
    ["priority 65536", { type: "MX", name: "@", value: "mx.example.org", priority: 65_536 }, "priority"],
  ])("answers 422 and writes nothing: %s", async (_case, body, field) => {
    const { id, name, www } = await freshDomain();
    const before = await served(name);
    const answer = await shop.owner.put(dns(id, www), body);
    expect(answer).toMatchObject({ status: 422, body: { status: false } });
    expect(Object.keys(objectOf(objectOf(answer.body).errors))).toContain(field);
    expect(await served(name)).toEqual(before);
  });

  it("answers 422 for the apex NS set, which belongs to the service", async () => {
    const { id, www } = await freshDomain();
    const body = { type: "NS", name: "@", value: "ns.example.org" };
    expect(await shop.owner.put(dns(id, www), body)).toMatchObject({ status: 422 });
  });

  it("answers 403 for another account's domain, and 404 for an unknown domain or record or a record of another domain", async () => {
    const { id, www } = await freshDomain();
    const other = await freshDomain();
    const body = { type: "A", name: "www", value: "198.51.100.7" };
    expect(await shop.stranger.put(dns(id, www), body)).toMatchObject(unauthorized);
    expect(await shop.owner.put(dns(999_999, www), body)).toMatchObject({ status: 404 });
    expect(await shop.owner.put(dns(id, 999_999), body)).toMatchObject({ status: 404 });
    expect(await shop.owner.put(dns(id, other.www), body)).toMatchObject({ status: 404 });
    expect((await recordsOf(id)).map(({ value }) => value)).toEqual(["192.0.2.10", "192.0.2.10"]);
  });

  it("answers 409 while the domain uses custom nameservers", async () => {
    const { id, www } = await freshDomain();
    await shop.owner.put(`/domains/${String(id)}/nameservers`, {
      use_rdp_nameservers: false,
      nameservers: ["ns1.example.org", "ns2.example.org"],
    });
    const body = { type: "A", name: "www", value: "198.51.100.7" };
    expect(await shop.owner.put(dns(id, www), body)).toMatchObject({
      status: 409,
      body: { code: "custom_nameservers" },
    });
  });
});

describe("POST /domains/{domain}/dns", () => {
  it.each([
    { type: "A", name: "a", value: "198.51.100.1" },
    { type: "AAAA", name: "a", value: "2001:db8::1" },
    { type: "CNAME", name: "alias", value: "example.org" },
    { type: "MX", name: "@", value: "mx.example.org", priority: 10 },
    { type: "TXT", name: "_dmarc", value: "v=DMARC1; p=none" },
    { type: "TXT", name: "long", value: "ü".repeat(1_000) },
    { type: "NS", name: "sub", value: "ns.example.org" },
    { type: "SRV", name: "_sip._tcp", value: "5 5060 sip.example.org", priority: 0 },
    { type: "CAA", name: "@", value: '0 issue "ca.example.org"' },
    { type: "A", name: "*", value: "198.51.100.2" },
  ])("answers 201 and adds $type $name", async (record) => {
    const { id, name } = await freshDomain();
    expect(await shop.owner.post(dns(id), record)).toMatchObject({
      status: 201,
      body: { status: true, message: "DNS record added", record: { id: anyNumber, type: record.type } },
    });
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({ dns_records_count: 3 });
    expect(itemsOf(await served(name))).toHaveLength(3);
  });

  it("applies the newest TTL to the whole record set (RFC 2181 §5.2)", async () => {
    const { id, name } = await freshDomain();
    await shop.owner.post(dns(id), { type: "A", name: "www", value: "198.51.100.1", ttl: 120 });
    const set = (await recordsOf(id)).filter((record) => record.name === "www");
    expect(set.map(({ ttl }) => ttl)).toEqual([120, 120]);
    expect(
      itemsOf(await served(name))
        .filter((record) => record.name === "www")
        .map(({ ttl }) => ttl),
    ).toEqual([120, 120]);
  });

  it("answers 422 for a CNAME beside other records of its name, and for any record beside a CNAME", async () => {
    const { id } = await freshDomain();
    const alias = { type: "CNAME", name: "www", value: "example.org" };
    expect(await shop.owner.post(dns(id), alias)).toMatchObject({ status: 422 });
    await shop.owner.post(dns(id), { ...alias, name: "alias" });
    expect(await shop.owner.post(dns(id), { type: "A", name: "alias", value: "198.51.100.1" })).toMatchObject(
      { status: 422 },
    );
  });
});

describe("DELETE /domains/{domain}/dns/{record}", () => {
  it("removes the record in the service and at the DNS server", async () => {
    const { id, name, www } = await freshDomain();
    expect(await shop.owner.delete(dns(id, www))).toMatchObject({ status: 200, body: { status: true } });
    expect(await recordsOf(id)).toHaveLength(1);
    expect(itemsOf(await served(name)).map((record) => record.name)).toEqual(["@"]);
    expect(await shop.owner.delete(dns(id, www))).toMatchObject({ status: 404 });
  });

  it("answers 403 for another account's domain", async () => {
    const { id, www } = await freshDomain();
    expect(await shop.stranger.delete(dns(id, www))).toMatchObject(unauthorized);
    expect(await recordsOf(id)).toHaveLength(2);
  });
});

describe("/domains/{domain}/dns/rrsets/{name}/{type} (contract, second part)", () => {
  it("replaces, reads and deletes the whole set at once, in the service and at the DNS server", async () => {
    const { id, name } = await freshDomain();
    const path = `/domains/${name}/dns/rrsets/www/A`;
    const records = ["198.51.100.1", "198.51.100.2"].map((value) => ({ value, priority: null }));
    const set = { name: "www", type: "A", ttl: 60, records };
    expect(await shop.owner.put(path, { ttl: 60, records })).toMatchObject({ status: 200, body: set });
    expect(await shop.owner.get(path)).toMatchObject({ status: 200, body: set });
    expect((await recordsOf(id)).filter((record) => record.name === "www")).toMatchObject(
      records.map(({ value }) => ({ value, ttl: 60 })),
    );
    expect(await served(name)).toMatchObject([
      { type: "A", name: "@", value: "192.0.2.10" },
      ...records.map(({ value }) => ({ type: "A", name: "www", value, ttl: 60 })),
    ]);

    expect(await shop.owner.delete(path)).toMatchObject({
      status: 200,
      body: { name: "www", type: "A", records: [] },
    });
    for (const gone of [await shop.owner.get(path), await shop.owner.delete(path)])
      expect(gone).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await served(name)).toMatchObject([{ name: "@" }]);
  });

  it("changes nothing if one record of the set is wrong or the domain is another account's", async () => {
    const { name } = await freshDomain();
    const path = `/domains/${name}/dns/rrsets/@/MX`;
    const wrong = { records: [{ value: "mx.example.net", priority: 10 }, { value: "mx2.example.net" }] };
    expect(await shop.owner.put(path, wrong)).toMatchObject({
      status: 422,
      body: { errors: { records: [expect.stringMatching(/record 2/)] } },
    });
    expect(await shop.stranger.get(path)).toMatchObject(unauthorized);
    expect(await shop.owner.get(path)).toMatchObject({ status: 404 });
    const misspelt = `/domains/${name}/dns/rrsets/*.a-/A`;
    for (const refused of [await shop.owner.get(misspelt), await shop.owner.delete(misspelt)])
      expect(refused).toMatchObject({ status: 422, body: { errors: { name: [expect.any(String)] } } });
  });
});
