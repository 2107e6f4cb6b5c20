import type { GeneratedRequest } from "@hostledger/gateway/testing";
import { virtualClock } from "@hostledger/runtime/testing";

import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestAnswer, RestClient } from "../support/rest-client.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** The id of one resource of each kind. */
export type Ids = Readonly<
  Record<"domain" | "record" | "server" | "pos" | "ticket" | "invoice" | "key", number>
>;

/** A shop for requests made of the document. */
export function openDocumentShop(): Promise<Shop> {
  return openShop({
    clock: virtualClock(),
    environment: { HOSTLEDGER_RATE_LIMIT: "0", HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" },
  });
}

/** Gives a customer one resource of each kind. @param name of the domain */
export async function resourcesOf(shop: Shop, customer: Customer, name: string): Promise<Ids> {
  const domain = await registerName(customer, name);
  const read = objectOf((await customer.get(`/domains/${String(domain)}`)).body);
  const server = await shop.provision({ of: customer, whitelisted: true });
  const rule = { action: "ACCEPT", type: "in", proto: "tcp", dport: "443" };
  const added = await customer.post(`/servers/${String(server)}/firewall`, rule);
  const opened = await customer.post("/tickets", { title: "A question", message: "How?" });
  const key = await customer.post("/keys", { label: "Another one" });
  const invoices = await customer.get("/billing/invoices");
  return {
    domain,
    record: Number(itemsOf(read.dns_records)[0]?.id),
    server,
    pos: Number(objectOf(objectOf(added.body).rule).pos),
    ticket: Number(objectOf(objectOf(opened.body).ticket).id),
    key: Number(objectOf(key.body).id),
    invoice: Number(itemsOf(invoices.body).find(({ action }) => action === "purchase")?.id),
  };
}

/** Sends a request made of the document. */
export const send = (client: RestClient, { path, ...init }: GeneratedRequest): Promise<RestAnswer> =>
  client.send(path, init);
