import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { renderOpenApiDocument } from "@hostledger/gateway";
import { documentedOperations, validRequestOf } from "@hostledger/gateway/testing";
import { virtualClock, type VirtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { positionOfLog } from "../support/log-position.ts";
import { anyText, itemsOf, objectOf } from "../support/matchers.ts";
import { restClient, type RestAnswer, type RestClient } from "../support/rest-client.ts";
import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";

/** A leaked key, and the attempts of its finder. */

let clock: VirtualClock;
let shop: Shop;

beforeAll(async () => {
  clock = virtualClock();
  shop = await openShop({
    clock,
    // The test is the proxy, so that it can call from anywhere.
    environment: { HOSTLEDGER_TRUSTED_PROXIES: "127.0.0.1,::1" },
  });
});

afterAll(() => shop.close());

const client = (key: unknown): RestClient => restClient(shop.instance.baseUrl, String(key));

/** Creates a key of the owner, and a client of its finder. */
async function keyOf(
  limits: object,
): Promise<{ readonly id: number; readonly key: string; readonly finder: RestClient }> {
  const { body } = await shop.owner.post("/keys", limits);
  const { id, key } = objectOf(body);
  return { id: Number(id), key: String(key), finder: client(key) };
}

const missing = (scope: string): object => ({
  status: 403,
  body: { status: false, code: "missing_scope", scope },
});

const from = (finder: RestClient, forwardedFor?: string): Promise<RestAnswer> =>
  finder.send("/domains", { headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor } });

describe("a key of a hook on a web server", () => {
  it("spends nothing and changes nothing but records of type TXT", async () => {
    const domain = await registerName(shop.owner, "hooked.com");
    const { finder } = await keyOf({ label: "ACME", scopes: ["dns:txt"] });
    const read = objectOf((await finder.get(`/domains/${String(domain)}`)).body);
    const record = Number(itemsOf(read.dns_records)[0]?.id);
    const records = `/domains/${String(domain)}/dns`;
    const position = await positionOfLog(shop.instance);
    expect(await finder.post("/domains", { domain: "stolen.com" })).toMatchObject(missing("domains"));
    expect(await finder.post(`/domains/${String(domain)}/renew`, {})).toMatchObject(missing("domains"));
    expect(await finder.get(`/domains/${String(domain)}/auth-code`)).toMatchObject(missing("domains"));
    expect(await finder.post("/order", {})).toMatchObject(missing("servers"));
    expect(await finder.post("/keys", {})).toMatchObject(missing("keys"));
    expect(await finder.get("/billing/balance")).toMatchObject(missing("billing"));
    const address = { type: "A", name: "@", value: "198.51.100.66" };
    const text = { type: "TXT", name: "@", value: "x" };
    expect(await finder.post(records, address)).toMatchObject(missing("dns"));
    expect(await finder.put(`${records}/${String(record)}`, address)).toMatchObject(missing("dns"));
    expect(await finder.put(`${records}/${String(record)}`, text)).toMatchObject(missing("dns"));
    expect(await finder.delete(`${records}/${String(record)}`)).toMatchObject(missing("dns"));
    expect(await positionOfLog(shop.instance)).toBe(position);
    const added = await finder.post(records, { ...text, name: "_acme-challenge" });
    expect(added).toMatchObject({ status: 201 });
    const challenge = String(objectOf(objectOf(added.body).record).id);
    expect(await finder.delete(`${records}/${challenge}`)).toMatchObject({ status: 200 });
  });

  it("that may read may call none of the document's writes", async () => {
    const { finder } = await keyOf({ scopes: ["read"] });
    const writes = documentedOperations(JSON.parse(renderOpenApiDocument())).filter(
      ({ method }) => method !== "get",
    );
    expect(writes.length).toBeGreaterThan(15);
    const position = await positionOfLog(shop.instance);
    const ids = {
      domain: 1,
      record: 1,
      server: 1,
      pos: 0,
      ticket: 1,
      invoice: 1,
      method: 1,
      key: 1,
      webhook: 1,
      mail: 1,
      delivery: 1,
    };
    for (const operation of writes) {
      const { path, ...init } = validRequestOf(operation, ids);
      const refused = { status: 403, body: { code: "missing_scope", scope: anyText } };
      expect(await finder.send(path, init), operation.id).toMatchObject(refused);
    }
    expect(await positionOfLog(shop.instance)).toBe(position);
  });
});

describe("a key that may make keys", () => {
  it("makes none that has more than itself, and none for others", async () => {
    const { id, finder } = await keyOf({ scopes: ["keys", "read"], expires_at: "2090-01-01T00:00:00Z" });
    expect(await finder.post("/keys", { scopes: ["domains"] })).toMatchObject(missing("domains"));
    const longer = { expires_at: "2091-01-01T00:00:00Z" };
    expect(await finder.post("/keys", longer)).toMatchObject({ status: 403, body: { code: "unauthorized" } });
    expect((await finder.post("/keys", {})).body).toMatchObject({
      key: anyText,
      scopes: ["read", "keys"],
      expires_at: "2090-01-01T00:00:00.000000Z",
    });
    expect(await shop.stranger.delete(`/keys/${String(id)}`)).toMatchObject(unauthorized);
    expect(await finder.get("/keys")).toMatchObject({ status: 200 });
  });

  it("revokes the keys that it could have made, and itself, and none that has more", async () => {
    const main = await keyOf({});
    const soon = "2090-01-01T00:00:00Z";
    const limits = { scopes: ["keys", "read"], expires_at: soon, addresses: ["127.0.0.0/8", "::1"] };
    const { id, finder } = await keyOf(limits);
    const [longer, wider, other, made] = [
      await keyOf({ scopes: ["read"], addresses: ["127.0.0.1"] }),
      await keyOf({ scopes: ["read"], expires_at: soon }),
      await keyOf({ scopes: ["domains"], expires_at: soon, addresses: ["127.0.0.1"] }),
      await keyOf({ scopes: ["read"], expires_at: soon, addresses: ["127.0.0.1"] }),
    ];
    const revoke = (key: { readonly id: number }) => finder.delete(`/keys/${String(key.id)}`);
    const refused = { status: 403, body: { code: "unauthorized" } };
    for (const key of [longer, wider]) expect(await revoke(key)).toMatchObject(refused);
    for (const key of [main, other]) expect((await revoke(key)).status).toBe(403);
    for (const key of [main, longer, wider, other])
      expect(itemsOf((await shop.owner.get("/keys")).body).map((each) => each.id)).toContain(key.id);
    expect(await revoke(made)).toMatchObject({ status: 200 });
    expect(await revoke({ id })).toMatchObject({ status: 200 });
  });

  it("is not shown a key that another key created, by repeating its request", async () => {
    const same = { scopes: ["domains"], label: "deploy" };
    const header = { "idempotency-key": "make-the-deploy-key" };
    const made = await shop.owner.post("/keys", same, header);
    const shownOnce = { ...objectOf(made.body), key: null };
    expect(await shop.owner.post("/keys", same, header)).toMatchObject({ status: 201, body: shownOnce });
    const { finder } = await keyOf({ scopes: ["keys"] });
    const tried = await finder.post("/keys", same, header);
    expect(tried).toMatchObject({ status: 422, body: { code: "idempotency_conflict" } });
    expect(JSON.stringify(tried.body)).not.toContain(objectOf(made.body).key);
  });
});

describe("a key that was found", () => {
  it("permits nothing from other addresses, despite forwarded headers", async () => {
    const { finder } = await keyOf({ addresses: ["192.0.2.0/24", "2001:db8::/32"] });
    for (const address of ["192.0.2.7", "2001:db8::7", "198.51.100.1, 192.0.2.7"])
      expect(await from(finder, address), address).toMatchObject({ status: 200 });
    for (const address of [undefined, "198.51.100.1", "192.0.2.7, 198.51.100.1", "192.0.2.7x", "unknown"])
      expect(await from(finder, address), String(address)).toMatchObject({
        status: 403,
        body: { code: "address_not_allowed" },
      });
  });

  it("opens nothing after its term, nor after it was revoked", async () => {
    const soon = new Date(clock.epochMilliseconds() + 20_000).toISOString();
    const { finder } = await keyOf({ expires_at: soon });
    const { id, finder: other } = await keyOf({});
    expect([(await from(finder)).status, (await from(other)).status]).toEqual([200, 200]);
    expect(await shop.owner.delete(`/keys/${String(id)}`)).toMatchObject({ status: 200 });
    expect(await from(other)).toMatchObject({ status: 401 });
    await clock.sleep(20_001);
    expect(await from(finder)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
  });

  it("was not leaked by the data: its secret is in no file, also if its request can be repeated", async () => {
    const header = { "idempotency-key": "make-a-secret" };
    const { key } = objectOf((await shop.owner.post("/keys", { label: "Ada's laptop" }, header)).body);
    const files = readdirSync(shop.instance.data, { recursive: true, encoding: "utf8" })
      .map((name) => join(shop.instance.data, name))
      .filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(3);
    const secret = String(key).slice(-30);
    expect(secret).toHaveLength(30);
    for (const text of [secret, "Ada's laptop"])
      expect(files.filter((path) => readFileSync(path).includes(text))).toEqual([]);
  });
});
