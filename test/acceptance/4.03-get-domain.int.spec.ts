import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.3, `GET /domains/{domain}`. */

let shop: Shop;
let id: number;

beforeAll(async () => {
  shop = await openShop();
  id = await registerName(shop.owner, "read.com");
});

afterAll(() => shop.close());

describe("GET /domains/{domain}", () => {
  it("answers one domain at the top level, with dns_records", async () => {
    expect(await shop.owner.get(`/domains/${String(id)}`)).toMatchObject({
      status: 200,
      body: { id, domain_name: "read.com", dns_records: [{ name: "@" }, { name: "www" }] },
    });
  });

  it("answers 403 with the unauthorized sentence for another account's domain", async () => {
    expect(await shop.stranger.get(`/domains/${String(id)}`)).toMatchObject(unauthorized);
  });

  it.each(["999999", "0", "-1", "1.5", "1e3", "abc", "9223372036854775808", "1%20", "%00"])(
    "answers 404 for %s",
    async (path) => {
      expect(await shop.owner.get(`/domains/${path}`)).toMatchObject({
        status: 404,
        body: { status: false, code: "not_found" },
      });
    },
  );
});
