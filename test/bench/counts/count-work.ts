import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createStaffClient } from "@hostledger/rpc";
import { z } from "zod";

import { offerServers, openCustomer, sell, type Customer } from "../../support/staff-client.ts";
import { median } from "../harness/result.ts";
import { recordOfWork, startCounted, type CountedInstance, type Work } from "./counted-instance.ts";

/** Operations of customers, in the order of the table. */
export const operations = [
  "registration of a domain",
  "renewal of a domain",
  "renewal of a server",
  "list of 20 domains",
  "the same list, 304",
  "one domain, 304",
] as const;

export type OperationName = (typeof operations)[number];

/** A read is little work, so many are counted together to separate them from timer work. */
const readsAtOnce = 50;

const reads: ReadonlySet<OperationName> = new Set([
  "list of 20 domains",
  "the same list, 304",
  "one domain, 304",
]);

/** Result of counting. */
export interface CountedWork {
  /** A second of an instance of which nobody asks anything. */
  readonly idle: Work;
  /** Of each operation the medians of a few times, each on an instance that does nothing else. */
  readonly of: ReadonlyMap<OperationName, Work>;
  readonly syncsForCheckpoint: number;
}

/**
 * Counts twice, because tracing counts calls but adds timers of its own.
 * @param samples of each operation.
 */
export async function countWork(directory: string, samples: number): Promise<CountedWork> {
  const untraced = await countedOn(join(directory, "untraced"), { isTraced: false, samples });
  const traced = await countedOn(join(directory, "traced"), { isTraced: true, samples });
  const calls = "calls between services";
  const of = new Map(
    [...untraced.of].map(([name, work]) => [name, { ...work, [calls]: traced.of.get(name)?.[calls] ?? 0 }]),
  );
  return { ...untraced, idle: { ...untraced.idle, [calls]: traced.idle[calls] }, of };
}

async function countedOn(
  directory: string,
  { isTraced, samples }: { readonly isTraced: boolean; readonly samples: number },
): Promise<CountedWork> {
  await using instance = await startCounted(directory, isTraced);
  const requests = await requestsTo(instance);
  const idle = await instance.idle();
  const of = new Map<OperationName, Work>();
  for (const name of operations) {
    const all: Work[] = [];
    // The first request creates what later ones reuse: connections, tokens, statements.
    for (let sample = 0; sample <= samples; sample += 1)
      all.push(await instance.during(() => requests[name](sample), reads.has(name) ? readsAtOnce : 1));
    of.set(
      name,
      recordOfWork((kind) => median(all.slice(1).map((work) => work[kind]))),
    );
  }
  return { idle, of, syncsForCheckpoint: instance.syncsForCheckpoint() };
}

/** Makes the same request another time. */
type Repeat = (time: number) => Promise<void>;

/** Creates a customer with twenty domains and a server, and the requests about them. */
async function requestsTo({
  adminUrl,
  baseUrl,
  data,
}: CountedInstance): Promise<Record<OperationName, Repeat>> {
  const staff = createStaffClient({
    baseUrl: adminUrl,
    credential: readFileSync(join(data, "admin.token"), "utf8").trim(),
  });
  await sell(staff, "com");
  const offer = await offerServers(staff, 10);
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 1_000_000n });
  const accountId = BigInt(customer.accountId);
  const { serverId } = await staff.servers.provisionServer({ accountId, ...offer, months: 1 });
  for (let number = 0; number < 20; number += 1)
    await posted(customer, "/domains", { domain: `row-${String(number)}.com` }, 201);
  await archiveDocuments(customer);
  return {
    "registration of a domain": (time) =>
      posted(customer, "/domains", { domain: `new-${String(time)}.com` }, 201),
    "renewal of a domain": (time) =>
      posted(customer, `/domains/row-${String(time)}.com/renew`, { years: 1 }, 200),
    "renewal of a server": () => posted(customer, `/servers/${String(serverId)}/renew`, { duration: 1 }, 200),
    "list of 20 domains": () => listed(customer),
    "the same list, 304": askedAgain(customer, "/domains?limit=20"),
    "one domain, 304": askedAgain(customer, "/domains/row-19.com"),
  };
}

/** Asks with the tag of the answer before, which the first time there is not. */
function askedAgain(customer: Customer, path: string): Repeat {
  let tag = "";
  return async (time) => {
    const { status, headers } = await customer.send(path, { headers: { "If-None-Match": tag } });
    if (time > 0 && status !== 304) throw new Error(`GET ${path} was answered ${String(status)}`);
    tag = headers.get("etag") ?? "";
  };
}

/** Downloads archive their documents at once, so that no background work is counted with the next request. */
async function archiveDocuments(customer: Customer): Promise<void> {
  const { body } = await customer.get("/billing/invoices");
  for (const { id } of z.array(z.object({ id: z.int() })).parse(body))
    await customer.get(`/billing/invoices/${String(id)}.pdf`);
}

/** @throws Error another answer came. */
export async function posted(
  customer: Customer,
  path: string,
  body: object,
  expected: number,
): Promise<void> {
  const { status } = await customer.post(path, body);
  if (status !== expected) throw new Error(`POST ${path} was answered ${String(status)}`);
}

/** @throws Error another answer came than a list. */
export async function listed(customer: Customer): Promise<void> {
  const { status } = await customer.get("/domains?limit=20");
  if (status !== 200) throw new Error(`the list was answered ${String(status)}`);
}
