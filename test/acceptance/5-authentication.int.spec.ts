import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { restClient } from "../support/rest-client.ts";
import { openShop, type Shop } from "../support/shop.ts";
import { openCustomer } from "../support/staff-client.ts";

/** Specification §5: authentication. Permissions are tested with each operation, and in two-accounts. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

describe("authentication by API key", () => {
  it("accepts the key alone and as a bearer token", async () => {
    const anyone = restClient(shop.instance.baseUrl);
    for (const authorization of [shop.owner.apiKey, `Bearer ${shop.owner.apiKey}`]) {
      expect(await anyone.send("/domains", { headers: { authorization } })).toMatchObject({ status: 200 });
    }
  });

  it("answers 401 with WWW-Authenticate for a missing, malformed or unknown key", async () => {
    for (const key of [undefined, "x", shop.owner.apiKey.slice(0, -1), `hlk_${"A".repeat(32)}00000000`]) {
      const answer = await restClient(shop.instance.baseUrl, key).get("/domains");
      expect(answer).toMatchObject({ status: 401, body: { status: false, code: "unauthenticated" } });
      expect(answer.headers.get("www-authenticate")).not.toBeNull();
    }
  });

  it("answers 401 as soon as a key is revoked", async () => {
    const client = await openCustomer(shop.instance.staff, shop.instance.baseUrl);
    const { keys } = await shop.instance.staff.accounts.listApiKeys({ accountId: BigInt(client.accountId) });
    expect(await client.get("/domains")).toMatchObject({ status: 200 });
    await shop.instance.staff.accounts.revokeApiKey({ keyId: keys[0]?.keyId ?? 0n });
    expect(await client.get("/domains")).toMatchObject({ status: 401 });
  });
});
