import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import { customerAt } from "../support/staff-client.ts";
import type { RestAnswer, RestClient } from "../support/rest-client.ts";

/** Reads that are asked for again with their `ETag` (ADR 0103), through all services. */

let shop: Shop;
let domainId: number;

beforeAll(async () => {
  shop = await openShop();
  domainId = await registerName(shop.owner, "again.com");
  await shop.provision();
});

afterAll(() => shop.close());

const again = (client: RestClient, path: string, tag: string): Promise<RestAnswer> =>
  client.send(path, { headers: { "if-none-match": tag } });

async function tagOf(client: RestClient, path: string): Promise<string> {
  const { status, headers } = await client.get(path);
  expect(status).toBe(200);
  return headers.get("etag") ?? "";
}

it.each([
  "/domains",
  "/domains?limit=1",
  "/domains/again.com",
  "/domains/pricing",
  "/servers",
  "/plans",
  "/tickets",
  "/billing/invoices",
  "/billing/balance",
  "/account",
])("%s answers 304 until a change, only to the account that read it", async (path) => {
  const tag = await tagOf(shop.owner, path);
  expect(await again(shop.owner, path, tag)).toMatchObject({ status: 304, body: undefined });
  expect((await again(shop.stranger, path, tag)).status).not.toBe(304);
});

describe("the list of domains", () => {
  it("changes its ETag after every change of a domain in it", async () => {
    const id = String(domainId);
    const { staff } = shop.instance;
    const changes: readonly (() => Promise<unknown>)[] = [
      () => shop.owner.put(`/domains/${id}/settings`, { auto_renew: true }),
      () => shop.owner.post(`/domains/${id}/dns`, { type: "A", name: "more", value: "192.0.2.7" }),
      () => staff.domains.setDomainSuspension({ domainId: BigInt(domainId), suspended: true }),
      () => registerName(shop.owner, "once-more.com"),
    ];
    for (const change of changes) {
      const before = await tagOf(shop.owner, "/domains");
      await change();
      expect((await again(shop.owner, "/domains", before)).status).toBe(200);
      expect(await tagOf(shop.owner, "/domains")).not.toBe(before);
    }
  });

  it("changes its ETag every day, because it shows the days left", async () => {
    const data = temporaryDirectory();
    const today = await openShop({ data: data.path });
    await registerName(today.owner, "again.com");
    const before = await tagOf(today.owner, "/domains");
    await today.close();
    const environment = { HOSTLEDGER_CLOCK_OFFSET: "+1d" };
    const tomorrow = await startInstance({ data: data.path, environment });
    try {
      const owner = customerAt(tomorrow.baseUrl, today.owner);
      expect((await again(owner, "/domains", before)).status).toBe(200);
      const after = await tagOf(owner, "/domains");
      expect((await again(owner, "/domains", after)).status).toBe(304);
    } finally {
      await tomorrow.close();
      data.remove();
    }
  });
});
