import { createServer } from "node:http";

import type { GeneratedRequest } from "@hostledger/gateway/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, listen, virtualClock } from "@hostledger/runtime/testing";
import { openMailServer } from "@hostledger/support-service/testing";

import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestAnswer, RestClient } from "../support/rest-client.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** The id of one resource of each kind. */
export type Ids = Readonly<
  Record<
    | "domain"
    | "record"
    | "server"
    | "pos"
    | "ticket"
    | "invoice"
    | "topup"
    | "method"
    | "key"
    | "webhook"
    | "delivery"
    | "mail",
    number
  >
>;

/** A shop for requests made of the document. */
export async function openDocumentShop(): Promise<Shop> {
  const mailServer = await openMailServer();
  const shop = await openShop({
    clock: virtualClock(),
    environment: {
      HOSTLEDGER_RATE_LIMIT: "0",
      HOSTLEDGER_BANK_IBAN: "DE89370400440532013000",
      HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400",
      HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8",
      HOSTLEDGER_SMTP_URL: mailServer.url,
      HOSTLEDGER_MAIL_FROM: "hosting@example.com",
    },
  });
  const close = async (): Promise<void> => {
    await shop.close();
    await mailServer.stop();
  };
  return { ...shop, close };
}

/** Gives a customer one resource of each kind. @param name of the domain */
export async function resourcesOf(shop: Shop, customer: Customer, name: string): Promise<Ids> {
  const domain = await registerName(customer, name);
  const read = objectOf((await customer.get(`/domains/${String(domain)}`)).body);
  const server = await shop.provision({ of: customer, whitelisted: true });
  const rule = { action: "ACCEPT", type: "in", proto: "tcp", dport: "443" };
  const added = await customer.post(`/servers/${String(server)}/firewall`, rule);
  const { webhook, url } = await webhookOf(customer);
  await customer.put("/account/notices", { mail_kinds: ["ticket.opened"] });
  await customer.put("/account", { email: "ada@example.org" });
  const opened = await customer.post("/tickets", { title: "A question", message: "How?" });
  const key = await customer.post("/keys", { label: "Another one" });
  const topup = await awaitedTopUp(customer);
  const method = await storedMethod(customer);
  const invoices = await customer.get("/billing/invoices");
  return {
    domain,
    record: Number(itemsOf(read.dns_records)[0]?.id),
    server,
    pos: Number(objectOf(objectOf(added.body).rule).pos),
    ticket: Number(objectOf(objectOf(opened.body).ticket).id),
    topup,
    method,
    key: Number(objectOf(key.body).id),
    webhook,
    delivery: await firstDelivery(customer, url),
    mail: await firstDelivery(customer, "/account/notices/deliveries"),
    invoice: Number(itemsOf(invoices.body).find(({ action }) => action === "purchase")?.id),
  };
}

/** Returns the id of a stored method whose payment is settled, so that it no longer changes. */
export async function storedMethod(customer: Customer): Promise<number> {
  const receipts = async () =>
    itemsOf((await customer.get("/billing/invoices")).body).filter(({ action }) => action === "topup").length;
  const before = await receipts();
  await customer.post("/billing/topups", { amount: 50, method: "card", store_method: true });
  await eventually(realTiming, async () => {
    if ((await receipts()) === before) throw new Error("the payment brought nothing");
  });
  const [method] = itemsOf((await customer.get("/billing/methods")).body);
  return Number(method?.id);
}

/** The id of a top-up by bank transfer that nobody pays: nothing of it changes, and it has a payment request. */
async function awaitedTopUp(customer: Customer): Promise<number> {
  const { body } = await customer.post("/billing/topups", { amount: 50, method: "transfer" });
  return Number(objectOf(objectOf(body).topup).id);
}

/** Creates a webhook for tickets at a receiver that accepts everything. */
async function webhookOf(customer: Customer): Promise<{ readonly webhook: number; readonly url: string }> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.end();
  }).unref();
  const url = `http://127.0.0.1:${String(await listen(receiver))}`;
  const { body } = await customer.post("/webhooks", { url, events: ["ticket.opened"] });
  const webhook = Number(objectOf(body).id);
  return { webhook, url: `/webhooks/${String(webhook)}/deliveries` };
}

/** The id of the first delivery in a list, once it was taken: nothing of it changes any more. */
function firstDelivery(customer: Customer, url: string): Promise<number> {
  return eventually(realTiming, async () => {
    const [delivery] = itemsOf((await customer.get(url)).body);
    if (delivery?.status !== "delivered")
      throw new Error(`nothing was delivered: ${JSON.stringify(delivery)}`);
    return Number(delivery.id);
  });
}

/** Sends a request made of the document. */
export const send = (client: RestClient, { path, ...init }: GeneratedRequest): Promise<RestAnswer> =>
  client.send(path, init);

/** Repeats a request until its proof is no longer pending, as the document tells clients to. */
export function sendUntilProven(client: RestClient, request: GeneratedRequest): Promise<RestAnswer> {
  return eventually(realTiming, async () => {
    const answer = await send(client, request);
    if (answer.status === 404 && objectOf(answer.body).code === "proof_pending")
      throw new Error(`the proof is still pending: ${request.path}`);
    return answer;
  });
}
