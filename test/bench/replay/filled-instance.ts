import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { openCustomers, startProduct } from "../peers/product.ts";
import { firstDomainId, writeDomains } from "./many-domains.ts";

// Not "template", because it contains the label "late" of the sandbox.
const template = "sample.com";

/** An account of a database, and the ids of its domains. */
export interface OwnerKey {
  readonly apiKey: string;
  readonly domains: number;
  readonly firstId: number;
}

/** The closed data of an instance, as `startProduct` takes it. */
export interface Database {
  readonly directory: string;
  readonly domains: number;
  readonly owners: readonly OwnerKey[];
}

/** Events that each domain of a database has at least. */
const eventsOfDomain = 2;

/** Creates an instance's data with accounts of so many domains, without read models. */
export async function fillInstance(directory: string, counts: readonly number[]): Promise<Database> {
  const product = await startProduct(directory);
  const [registrar, ...customers] = await openCustomers(product, counts.length + 1);
  const registered = await registrar?.post("/domains", { domain: template });
  await product.stop();
  if (registered?.status !== 201) throw new Error("the template could not be registered");

  const owners = customers.map(({ accountId }, at) => ({ accountId, domains: counts[at] ?? 0 }));
  await writeDomains(join(directory, "data", "events.sqlite"), template, owners);
  let firstId = firstDomainId;
  const keys = customers.map(({ apiKey }, at) => {
    const owner = { apiKey, domains: counts[at] ?? 0, firstId };
    firstId += owner.domains;
    return owner;
  });
  return { directory, domains: firstId - firstDomainId + 1, owners: keys };
}

/** Starts an instance until its read models and its audit log have followed to the end, which a start does not wait for (ADR 0007). */
export async function letFollow({
  directory,
  domains,
}: Pick<Database, "directory" | "domains">): Promise<void> {
  await using product = await startProduct(directory);
  for (;;) {
    const { projections } = await product.staff.projections.listProjections({});
    const { size } = await product.staff.audits.getLogStatus({});
    const haveFollowed = projections.every(({ state }) => state === "live");
    if (haveFollowed && Number(size) >= domains * eventsOfDomain) return;
    await pause(200);
  }
}
