import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { StaffClient } from "@hostledger/rpc";

import { objectOf } from "./matchers.ts";
import { isRegistrarEpp } from "./tried-registrar.ts";
import { restClient, type RestClient } from "./rest-client.ts";

/** A customer with an account and a key. */
export interface Customer extends RestClient {
  readonly accountId: number;
  readonly apiKey: string;
}

/** Returns the answer of `/readyz` on the staff listener, which alone names the parts. */
export async function staffReadiness(
  adminUrl: string,
  data: string,
): Promise<{ readonly status: number; readonly ready: unknown; readonly parts: unknown }> {
  const credential = readFileSync(join(data, "admin.token"), "utf8").trim();
  const headers = { authorization: `Bearer ${credential}` };
  const response = await fetch(new URL("/readyz", adminUrl), { headers });
  const { ready, parts } = objectOf(await response.json());
  return { status: response.status, ready, parts };
}

/** Opens an account with a balance in cents, and a key to it. */
export async function openCustomer(
  staff: StaffClient,
  baseUrl: string,
  { balanceCents = 0n, vatExempt = false, name = "Test customer" } = {},
): Promise<Customer> {
  const { accountId } = await staff.accounts.openAccount({ name, vatExempt });
  if (balanceCents > 0n) {
    await staff.accounts.topUpAccount({
      accountId,
      amountCents: balanceCents,
      reference: `opening-balance-${String(accountId)}`,
    });
  }
  // Registries want to know whom a name is for.
  if (isRegistrarEpp) await staff.accounts.setProfile({ accountId, changes: registrantProfile });
  const { apiKey } = await staff.accounts.issueApiKey({ accountId });
  return customerAt(baseUrl, { accountId: Number(accountId), apiKey });
}

/** Profile of the registrant, for registries that require one. */
export const registrantProfile = {
  kind: "person",
  name: "Ada Lovelace",
  street: "Hauptstraße 1",
  city: "Berlin",
  postalCode: "10115",
  country: "DE",
  email: "ada@example.com",
  phone: "+49.3012345678",
};

/** The same customer at another address, for example after a restart on a free port. */
export function customerAt(
  baseUrl: string,
  { accountId, apiKey }: Pick<Customer, "accountId" | "apiKey">,
): Customer {
  return { ...restClient(baseUrl, apiKey), accountId, apiKey };
}

/** Puts an extension on sale at ten euros a year. */
export async function sell(staff: StaffClient, tld: string, registrationCents = 1_000n): Promise<void> {
  await staff.domains.setPrice({
    tld,
    registrationCents,
    renewalCents: 1_200n,
    transferCents: 1_000n,
    active: true,
  });
}

/** Puts one plan on sale, at 9.99 EUR a month with VAT, in one region with so many units of it. */
export async function offerServers(
  { servers }: Pick<StaffClient, "servers">,
  units = 1_000,
): Promise<{ readonly planId: bigint; readonly regionId: bigint }> {
  const plan = { title: "Small", cores: 2, memoryGb: 4, storageGb: 80, priceCents: 999n };
  const { planId } = await servers.addPlan(plan);
  const { regionId } = await servers.addRegion({ code: "fra", location: "Frankfurt" });
  await servers.setStock({ planId, regionId, units });
  return { planId, regionId };
}

/** Puts `.com` on sale and opens an account with each of these balances, in cents. */
export async function openBuyers(
  { staff, baseUrl }: { readonly staff: StaffClient; readonly baseUrl: string },
  balancesCents: readonly bigint[],
): Promise<Customer[]> {
  await sell(staff, "com");
  const buyers: Customer[] = [];
  for (const balanceCents of balancesCents) buyers.push(await openCustomer(staff, baseUrl, { balanceCents }));
  return buyers;
}
