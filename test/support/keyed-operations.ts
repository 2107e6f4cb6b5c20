import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";

import { itemsOf, objectOf } from "./matchers.ts";
import type { RestAnswer, RestClient } from "./rest-client.ts";
import { registerName } from "./shop.ts";

/** Resources of the requests of one round. */
export interface Things {
  /** Makes the values of each round its own: a second request for the same would change nothing. */
  readonly round: number;
  readonly domain: number;
  readonly record: number;
  readonly server: number;
  readonly ticket: number;
  readonly webhook: number;
  /** Stored payment method. */
  readonly method: number;
  readonly planId: number;
  readonly regionId: number;
  readonly distroId: number;
}

/** Creates a customer's resources for a round; staff provide the server, whose firewall the customer may change. */
export async function openThings(
  client: RestClient,
  given: Pick<Things, "round" | "server" | "planId" | "regionId">,
): Promise<Things> {
  const idOf = (thing: unknown): number => Number(objectOf(thing).id);
  const domain = await registerName(client, `thing-${String(given.round)}.com`);
  const { dns_records: records } = objectOf((await client.get(`/domains/${String(domain)}`)).body);
  const { ticket } = objectOf((await client.post("/tickets", { title: "t", message: "m" })).body);
  const webhook = await client.post("/webhooks", { url: "https://hooks.example.net/there" });
  const distros = await client.get("/distros");
  const method = await storeMethod(client);
  return {
    ...given,
    domain,
    record: idOf(itemsOf(records)[0]),
    ticket: idOf(ticket),
    webhook: idOf(webhook.body),
    method,
    distroId: idOf(itemsOf(distros.body)[0]),
  };
}

/** Pays by card, which is stored. */
async function storeMethod(client: RestClient): Promise<number> {
  await client.post("/billing/topups", { amount: 5, method: "card", store_method: true });
  return eventually(realTiming, async () => {
    const [method] = itemsOf((await client.get("/billing/methods")).body);
    if (method === undefined) throw new Error("no method is stored yet");
    return Number(method.id);
  });
}

/** A request that takes an `Idempotency-Key`: its operation in the OpenAPI document, its path and its body. */
export type KeyedOperation = readonly [name: `post ${string}` | `put ${string}`, path: string, body: object];

/** Sends it. */
export function sendOperation(
  client: RestClient,
  [name, path, body]: KeyedOperation,
  headers?: Readonly<Record<string, string>>,
): Promise<RestAnswer> {
  return name.startsWith("post") ? client.post(path, body, headers) : client.put(path, body, headers);
}

/** A request for each operation that takes an `Idempotency-Key` and changes something, in an order in which all succeed. */
export function keyedOperations(things: Things): readonly KeyedOperation[] {
  const { round, planId, regionId, distroId } = things;
  const [domain, record] = [`/domains/${String(things.domain)}`, String(things.record)];
  const server = `/servers/${String(things.server)}`;
  const ticket = `/tickets/${String(things.ticket)}`;
  const address = `198.51.100.${String(round)}`;
  const nameservers = [`ns1.round-${String(round)}.example.net`, "ns2.example.net"];
  return [
    ["post /domains", "/domains", { domain: `claimed-${String(round)}.com` }],
    [
      "post /domains/transfer",
      "/domains/transfer",
      { domain: `claimed-elsewhere-${String(round)}.com`, auth_code: "let-me-go" },
    ],
    ["put /domains/{domain}/settings", `${domain}/settings`, { auto_renew: true, whois_privacy: true }],
    ["post /domains/{domain}/renew", `${domain}/renew`, { years: 1 }],
    ["post /domains/{domain}/dns", `${domain}/dns`, { type: "A", name: `x${String(round)}`, value: address }],
    [
      "put /domains/{domain}/dns/{record}",
      `${domain}/dns/${record}`,
      { type: "A", name: "y", value: address },
    ],
    [
      "put /domains/{domain}/dns/rrsets/{name}/{type}",
      `${domain}/dns/rrsets/whole/A`,
      { records: [{ value: address }] },
    ],
    [
      "put /domains/{domain}/nameservers",
      `${domain}/nameservers`,
      { use_rdp_nameservers: false, nameservers },
    ],
    ["post /order", "/order", { plan_id: planId, region_id: regionId, distro_id: distroId }],
    ["post /servers/{server}/renew", `${server}/renew`, { duration: 1 }],
    ["put /servers/{server}/hostname", `${server}/hostname`, { hostname: `claimed-${String(round)}` }],
    ["post /servers/{server}/firewall/toggle", `${server}/firewall/toggle`, { enable: false }],
    [
      "post /servers/{server}/firewall",
      `${server}/firewall`,
      { type: "in", action: "DROP", proto: "tcp", dport: String(1_000 + round) },
    ],
    ["put /servers/{server}/settings", `${server}/settings`, { auto_renew: true }],
    ["post /servers/{server}/cancel", `${server}/cancel`, { at: "end_of_term" }],
    ["post /tickets", "/tickets", { title: `claimed ${String(round)}`, message: "m" }],
    ["post /tickets/{ticket}/reply", `${ticket}/reply`, { message: "claimed" }],
    ["post /tickets/{ticket}/close", `${ticket}/close`, {}],
    ["post /billing/topups", "/billing/topups", { amount: 10 + round, method: "card" }],
    [
      "put /billing/auto-topup",
      "/billing/auto-topup",
      { enabled: true, threshold: 1, amount: 10 + round, method: things.method },
    ],
    ["post /keys", "/keys", { label: "claimed" }],
    ["put /account", "/account", { city: `Berlin ${String(round)}` }],
    ["put /account/notices", "/account/notices", { balance_low_below: `${String(20 + round)}.00` }],
    ["post /webhooks", "/webhooks", { url: `https://hooks.example.net/claimed-${String(round)}` }],
    [
      "put /webhooks/{webhook}",
      `/webhooks/${String(things.webhook)}`,
      { url: `https://hooks.example.net/edited-${String(round)}` },
    ],
    ["post /webhooks/{webhook}/rotate", `/webhooks/${String(things.webhook)}/rotate`, {}],
  ];
}
