import { startInstance, type Instance, type InstanceOptions } from "./instance.ts";
import { objectOf } from "./matchers.ts";
import type { RestClient } from "./rest-client.ts";
import { offerServers, openCustomer, sell, type Customer } from "./staff-client.ts";

/** An instance that sells domains and servers, with two customers without a relation to each other. */
export interface Shop {
  readonly instance: Instance;
  readonly owner: Customer;
  readonly stranger: Customer;
  /** 9.99 EUR a month, VAT included. */
  readonly planId: number;
  readonly regionId: number;
  /** Another customer with so many cents. */
  customer(balanceCents?: bigint): Promise<Customer>;
  /** A server of the owner, or of another customer, without charge. @returns its id. */
  provision(options?: {
    readonly of?: Customer;
    readonly whitelisted?: boolean;
    readonly months?: number;
  }): Promise<number>;
  close(): Promise<void>;
}

/** Opens the shop: `.com` at 10.00 EUR and one plan at 9.99 EUR with plenty of stock; both customers have 1,000.00 EUR. */
export async function openShop(options: InstanceOptions = {}): Promise<Shop> {
  const instance = await startInstance(options);
  const { staff, baseUrl } = instance;
  await sell(staff, "com");
  const { planId, regionId } = await offerServers(staff);
  const owner = await openCustomer(staff, baseUrl, { balanceCents: 100_000n, name: "Owner" });
  const stranger = await openCustomer(staff, baseUrl, { balanceCents: 100_000n, name: "Stranger" });
  return {
    instance,
    owner,
    stranger,
    planId: Number(planId),
    regionId: Number(regionId),
    customer: (balanceCents = 0n) => openCustomer(staff, baseUrl, { balanceCents }),
    async provision({ of = owner, whitelisted = false, months = 1 } = {}) {
      const accountId = BigInt(of.accountId);
      const { serverId } = await staff.servers.provisionServer({
        accountId,
        planId,
        regionId,
        months,
        whitelisted,
      });
      return Number(serverId);
    },
    close: () => instance.close(),
  };
}

/** Registers a name. @returns the domain's id. */
export async function registerName(client: RestClient, domain: string): Promise<number> {
  const answer = await client.post("/domains", { domain });
  const id = objectOf(objectOf(answer.body).domain).id;
  if (typeof id !== "number") throw new Error(`POST /domains answers ${JSON.stringify(answer.body)}`);
  return id;
}

/** The balance of a customer in euros. */
export async function balanceOf(client: RestClient): Promise<unknown> {
  return objectOf((await client.get("/billing/balance")).body).balance;
}

/** Rejection of every request for another account's resource (specification §5, rule 3). */
export const unauthorized = {
  status: 403,
  body: { status: false, error: "This action is unauthorized.", code: "unauthorized" },
} as const;
