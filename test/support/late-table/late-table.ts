import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import type { PartDecorators } from "@hostledger/host";
import { plainRegistrar } from "@hostledger/providers/testing";
import type { StaffClient } from "@hostledger/rpc";
import { eventually, virtualClock, type VirtualClock } from "@hostledger/runtime/testing";

import { itemsOf, type JsonObject } from "../matchers.ts";
import { inShort } from "../promises.ts";
import type { RestAnswer } from "../rest-client.ts";
import { balanceOf, openShop } from "../shop.ts";
import { customerAt, type Customer } from "../staff-client.ts";
import { registryFile } from "../tried-registrar.ts";
import { behaviours, type Behaviour, type Expectation } from "./expectations.ts";
import { paidProcesses, type Holdings, type PaidProcess, type RequestedPurchase } from "./paid-processes.ts";

/** A process at a provider that treats its order so. */
export interface Row {
  readonly name: string;
  readonly process: PaidProcess;
  readonly behaviour: Behaviour;
  readonly expected: Expectation;
}

/** The whole table: every process with every behaviour of its provider. */
export const rows: readonly Row[] = paidProcesses.flatMap((process) =>
  behaviours.flatMap((behaviour) => {
    const expected = process.expectations[behaviour];
    if (expected === undefined) return [];
    return [{ name: `${process.name}, ${behaviour}`, process, behaviour, expected }];
  }),
);

/** A row with a customer of its own, who has ordered nothing yet. */
export interface Purchase extends Row {
  readonly customer: Pick<Customer, "accountId" | "apiKey">;
  readonly requested: RequestedPurchase;
  readonly openingCents: number;
  /** Number of documents that the customer had before. */
  readonly openingDocuments: number;
}

/** A data directory in which nothing is missing but the orders themselves. */
export interface PreparedTable {
  readonly purchases: readonly Purchase[];
  /** Start time of the next instance's clock, ISO 8601 UTC. */
  readonly endedAt: string;
}

const openingCents = 10_000n;

/** Prepares a customer for each row. */
export async function prepareTable(data: string): Promise<PreparedTable> {
  const clock = virtualClock();
  const shop = await openShop({ data, clock, decorate: underPlainNames });
  const purchases: Purchase[] = [];
  for (const row of rows) {
    const customer = await shop.customer(openingCents);
    const requested = await row.process.prepare(shop, customer, row.behaviour);
    purchases.push({
      ...row,
      customer: { accountId: customer.accountId, apiKey: customer.apiKey },
      requested,
      openingCents: centsOf(await balanceOf(customer)),
      openingDocuments: itemsOf((await customer.get("/billing/invoices")).body).length,
    });
  }
  await shop.close();
  restoreNames(data);
  return { purchases, endedAt: instantOf(clock) };
}

/** The present as an instance's next clock takes it. */
export function instantOf(clock: VirtualClock): string {
  return new Date(clock.epochMilliseconds()).toISOString();
}

/** A domain that is to be renewed has its label from the beginning, and had to be registered all the same. */
const plainNames = new Map(
  behaviours.map((behaviour, index) => [`${behaviour}-renewal.com`, `kept-${String(index)}.com`]),
);

const underPlainNames: PartDecorators = {
  registrar: (registrar) => ({
    ...plainRegistrar(registrar),
    register: (order) => registrar.register({ ...order, name: plainNames.get(order.name) ?? order.name }),
  }),
};

function restoreNames(data: string): void {
  const database = new DatabaseSync(join(data, registryFile));
  try {
    const rename = database.prepare("UPDATE domain SET name = ? WHERE name = ?");
    for (const [name, plain] of plainNames) rename.run(name, plain);
  } finally {
    database.close();
  }
}

/** Gives the order, each time under the same key. @returns undefined when the connection broke before the answer. */
export async function place(baseUrl: string, purchase: Purchase): Promise<RestAnswer | undefined> {
  const { customer, name, requested } = purchase;
  const key = { "idempotency-key": name.replaceAll(/[ ,]+/g, "-") };
  try {
    return await customerAt(baseUrl, customer).post(requested.path, requested.body, key);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Answer to a repeated order, and the balance, while the outcome is unknown. */
export interface Meanwhile {
  readonly again: string;
  readonly cents: number;
}

/** Reads a purchase whose outcome is still unknown. */
export async function lookMeanwhile(baseUrl: string, { customer, requested }: Purchase): Promise<Meanwhile> {
  const client = customerAt(baseUrl, customer);
  const again = inShort(await client.post(requested.path, requested.body));
  return { again, cents: centsOf(await balanceOf(client)) };
}

/** Expected result of {@link lookMeanwhile}. */
export function expectedMeanwhile({ process, openingCents: opening }: Purchase): Meanwhile {
  const { fencedBy, standsWhileOpen, priceCents } = process;
  return { again: fencedBy, cents: standsWhileOpen ? opening - priceCents : opening };
}

/** Outcome of a purchase, as shown to the customer and by the provider. */
export interface Ending {
  readonly cents: number;
  /** Documents of the purchase: subject, gross amount in EUR, and whether it was delivered. */
  readonly documents: readonly JsonObject[];
  readonly isShown: boolean;
  readonly isHeld: boolean;
  readonly isFree: boolean | undefined;
}

/** Looks at a purchase when everything has come to rest. */
export async function lookAtEnding(
  baseUrl: string,
  holdings: Holdings,
  { process, customer, requested, openingDocuments }: Purchase,
): Promise<Ending> {
  const client = customerAt(baseUrl, customer);
  const documents = itemsOf((await client.get("/billing/invoices")).body).slice(openingDocuments);
  return {
    cents: centsOf(await balanceOf(client)),
    documents: documents.map(({ action, brutto, delivered }) => ({ action, brutto, delivered })),
    isShown: await process.isShown(client, requested),
    isHeld: process.isHeld(holdings, requested),
    isFree: await process.isFree?.(client, requested),
  };
}

/** Expected result of {@link lookAtEnding}: charged and held, or refunded and not held. */
export function expectedEnding(purchase: Purchase, isDelivered = purchase.expected.isDelivered): Ending {
  const { process, openingCents: opening, requested } = purchase;
  const { action, priceCents, isFree } = process;
  const document = { action, brutto: priceCents / 100, delivered: isDelivered };
  const refund = { action: "refund", brutto: -priceCents / 100, delivered: true };
  return {
    cents: isDelivered ? opening - priceCents : opening,
    documents: isDelivered ? [document] : [document, refund],
    isShown: isDelivered,
    isHeld: isDelivered,
    isFree: isFree === undefined ? undefined : !isDelivered && requested.expiryDate === null,
  };
}

/** Waits until no run is unfinished; a run that waits for staff is one. */
export async function allEnded(clock: VirtualClock, { domains, servers }: StaffClient): Promise<void> {
  const look = async (): Promise<void> => {
    const lists = await Promise.all([domains.listRuns({}), servers.listServerRuns({})]);
    const unfinished = lists.flatMap(({ runs }) => runs).map(({ run, step }) => `${run}: ${step}`);
    if (unfinished.length > 0) throw new Error(`unfinished: ${unfinished.join(", ")}`);
  };
  await eventually(clock, look, { everyMs: 1_000 });
}

function centsOf(balance: unknown): number {
  return Math.round(Number(balance) * 100);
}
