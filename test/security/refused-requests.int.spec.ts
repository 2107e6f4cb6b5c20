import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { positionOfLog } from "../support/log-position.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestAnswer } from "../support/rest-client.ts";
import { restClient, type RestClient } from "../support/rest-client.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import { sell, type Customer } from "../support/staff-client.ts";

/**
 * A refusal that is decided before the first effect stores nothing, with an Idempotency-Key or without: an account that is
 * refused for a whole day leaves the store as it was.
 */

const clock = virtualClock();
let shop: Shop;
/** Has a domain, a server, a closed ticket, and not a cent. */
let poor: Customer;
let domain: string;
let server: string;
let ticket: string;
let position: number;
let limited: RestClient;
let full: Customer;
let elsewhere: string;

beforeAll(async () => {
  shop = await openShop({ clock });
  const { staff, baseUrl } = shop.instance;
  await sell(staff, "net");
  poor = await shop.customer(1_190n);
  domain = `/domains/${String(await registerName(poor, "poor.com"))}`;
  elsewhere = `/domains/${String(await registerName(shop.owner, "with-custom.net"))}`;
  const nameservers = ["ns1.example.net", "ns2.example.net"];
  await shop.owner.put(`${elsewhere}/nameservers`, { use_rdp_nameservers: false, nameservers });
  server = `/servers/${String(await shop.provision({ of: poor }))}`;
  const opened = await poor.post("/tickets", { title: "t", message: "m" });
  ticket = `/tickets/${String(objectOf(objectOf(opened.body).ticket).id)}`;
  await poor.post(`${ticket}/close`, {});
  await poor.post(`${domain}/dns`, { type: "CNAME", name: "alias", value: "example.net" });
  const { key } = objectOf((await poor.post("/keys", { scopes: ["keys", "read"] })).body);
  limited = restClient(baseUrl, String(key));
  const rules = itemsOf(objectOf((await poor.get(`${server}/firewall`)).body).rules);
  position = rules.length;
  full = await shop.customer();
  for (let made = 0; made < 99; made += 1) await full.post("/keys", {});
  for (let made = 0; made < 100; made += 1)
    await full.post("/webhooks", { url: "https://hooks.example.net/" });
});

afterAll(() => shop.close());

type Send = (headers: Readonly<Record<string, string>>) => Promise<RestAnswer>;

const a = { type: "A", name: "alias", value: "192.0.2.1" };
const order = () => ({ plan_id: shop.planId, region_id: shop.regionId, distro_id: 1 });

/** Rejections, with the requests that cause them. */
const refusals: readonly (readonly [code: string, what: string, send: Send])[] = [
  ["validation_failed", "a name that is none", (key) => poor.post("/domains", { domain: "no name" }, key)],
  [
    "unsupported_extension",
    "an extension nobody sells",
    (key) => poor.post("/domains", { domain: "a.xyz" }, key),
  ],
  ["domain_taken", "a name of its own", (key) => poor.post("/domains", { domain: "poor.com" }, key)],
  ["domain_not_available", "a taken name", (key) => poor.post("/domains", { domain: "taken-1.com" }, key)],
  ["insufficient_balance", "a name", (key) => poor.post("/domains", { domain: "unpaid.com" }, key)],
  [
    "insufficient_balance",
    "a transfer",
    (key) => poor.post("/domains/transfer", { domain: "elsewhere-1.com", auth_code: "let-me-go" }, key),
  ],
  [
    "not_transferable",
    "a transfer of a free name",
    (key) => poor.post("/domains/transfer", { domain: "free.com", auth_code: "let-me-go" }, key),
  ],
  ["insufficient_balance", "a renewal", (key) => poor.post(`${domain}/renew`, { years: 1 }, key)],
  ["not_restorable", "a restore", (key) => poor.post(`${domain}/restore`, {}, key)],
  ["unauthorized", "another's renewal", (key) => shop.stranger.post(`${domain}/renew`, {}, key)],
  ["not_found", "a domain that is not there", (key) => poor.post("/domains/999999/renew", {}, key)],
  ["validation_failed", "settings", (key) => poor.put(`${domain}/settings`, { auto_renew: 1 }, key)],
  [
    "unauthorized",
    "another's settings",
    (key) => shop.stranger.put(`${domain}/settings`, { auto_renew: true }, key),
  ],
  [
    "validation_failed",
    "one nameserver",
    (key) =>
      poor.put(`${domain}/nameservers`, { use_rdp_nameservers: false, nameservers: ["a.example"] }, key),
  ],
  ["validation_failed", "an address beside a CNAME", (key) => poor.post(`${domain}/dns`, a, key)],
  ["custom_nameservers", "a record", (key) => shop.owner.post(`${elsewhere}/dns`, a, key)],
  [
    "custom_nameservers",
    "a record set",
    (key) => shop.owner.put(`${elsewhere}/dns/rrsets/x/A`, { records: [{ value: "192.0.2.1" }] }, key),
  ],
  [
    "validation_failed",
    "a record set beside a CNAME",
    (key) => poor.put(`${domain}/dns/rrsets/alias/A`, { records: [{ value: "192.0.2.1" }] }, key),
  ],
  ["not_found", "a record that is not there", (key) => poor.put(`${domain}/dns/999999`, a, key)],
  ["insufficient_balance", "a server", (key) => poor.post("/order", order(), key)],
  ["plan_not_found", "a plan", (key) => poor.post("/order", { ...order(), plan_id: 99 }, key)],
  ["insufficient_balance", "a server's renewal", (key) => poor.post(`${server}/renew`, { duration: 1 }, key)],
  ["firewall_locked", "no firewall", (key) => poor.post(`${server}/firewall/toggle`, { enable: false }, key)],
  [
    "validation_failed",
    "a rule",
    (key) => poor.post(`${server}/firewall`, { type: "in", action: "PERHAPS" }, key),
  ],
  ["validation_failed", "a host name", (key) => poor.put(`${server}/hostname`, { hostname: "-no-" }, key)],
  [
    "unauthorized",
    "another's host name",
    (key) => shop.stranger.put(`${server}/hostname`, { hostname: "mine" }, key),
  ],
  [
    "not_found",
    "a server that is not there",
    (key) => poor.put("/servers/999999/settings", { auto_renew: true }, key),
  ],
  [
    "validation_failed",
    "a ticket about no server",
    (key) => poor.post("/tickets", { title: "t", message: "m", server_id: 999_999 }, key),
  ],
  ["ticket_closed", "a reply", (key) => poor.post(`${ticket}/reply`, { message: "Hello?" }, key)],
  ["ticket_closed", "closing once more", (key) => poor.post(`${ticket}/close`, {}, key)],
  ["missing_scope", "a key with more scopes", (key) => limited.post("/keys", { scopes: ["domains"] }, key)],
  [
    "validation_failed",
    "a key that has expired",
    (key) => poor.post("/keys", { expires_at: "2020-01-01T00:00:00Z" }, key),
  ],
  ["too_many_api_keys", "a key", (key) => full.post("/keys", {}, key)],
  [
    "too_many_webhooks",
    "a webhook",
    (key) => full.post("/webhooks", { url: "https://hooks.example.net/" }, key),
  ],
  [
    "url_not_allowed",
    "a webhook on our own machine",
    (key) => poor.post("/webhooks", { url: "http://127.0.0.1/" }, key),
  ],
  ["not_found", "a rotation", (key) => poor.post("/webhooks/999999/rotate", {}, key)],
  ["not_found", "a delivery", (key) => poor.post("/account/notices/deliveries/999999/resend", {}, key)],
  ["validation_failed", "a profile", (key) => poor.put("/account", { country: "Germany" }, key)],
  [
    "validation_failed",
    "a threshold",
    (key) => poor.put("/account/notices", { balance_low_below: "-1" }, key),
  ],
  ["not_found", "another rule's removal", () => poor.delete(`${server}/firewall/${String(position + 99)}`)],
  ["not_found", "a key's revocation", () => poor.delete("/keys/999999")],
  ["not_found", "a webhook's deletion", () => poor.delete("/webhooks/999999")],
  ["not_found", "a record's deletion", () => poor.delete(`${domain}/dns/999999`)],
  ["unauthorized", "another's domain's end", () => shop.stranger.delete(domain)],
];

/** A rule, or a clause in the imperative. */
const advice =
  /\bmust\b|[.:;] (?:Act|Ask|Check|Choose|Correct|Delete|Name|Open|Read|Register|Revoke|Switch|Top up|Try|Use|Wait)\b/iu;

describe("a refusal", () => {
  it.each(refusals)("%s of %s stores nothing", async (code, what, send) => {
    const before = await positionOfLog(shop.instance);
    const keyed = { "idempotency-key": `refused-${code}-${what.replaceAll(" ", "-")}` };
    for (const key of [{}, keyed, keyed]) {
      const answer = await send(key);
      expect(answer).toMatchObject({ body: { status: false, code } });
      const { error, errors = {} } = objectOf(answer.body);
      // The sentence is fixed by the contract.
      if (code === "unauthorized") continue;
      expect(error).toMatch(advice);
      for (const [field, sentences] of Object.entries(objectOf(errors)))
        expect(sentences).toEqual([expect.stringMatching(new RegExp(`^The field ${field}\\b`))]);
    }
    expect(await positionOfLog(shop.instance)).toBe(before);
  });
});
