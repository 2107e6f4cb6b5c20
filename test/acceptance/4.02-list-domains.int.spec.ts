import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** Specification §4.2, `GET /domains`, and the contract's pages. */

let shop: Shop;
const names = ["first.com", "second.com", "third.com", "fourth.com", "fifth.com"];
const ids: number[] = [];

beforeAll(async () => {
  shop = await openShop();
  for (const name of names) ids.push(await registerName(shop.owner, name));
});

afterAll(() => shop.close());

describe("GET /domains", () => {
  it("answers an array of the caller's own domains, oldest first, without dns_records", async () => {
    const { status, body } = await shop.owner.get("/domains");
    expect(status).toBe(200);
    expect(itemsOf(body).map((domain) => domain.domain_name)).toEqual(names);
    expect(itemsOf(body).some((domain) => "dns_records" in domain)).toBe(false);
    expect((await shop.stranger.get("/domains")).body).toEqual([]);
  });

  it("pages by key: `limit`, `after`, and a Link to the next page until the last", async () => {
    const seen: unknown[] = [];
    let path: string | undefined = "/domains?limit=2";
    let pages = 0;
    while (path !== undefined) {
      const { status, body, headers } = await shop.owner.get(path);
      expect(status).toBe(200);
      seen.push(...itemsOf(body).map((domain) => domain.id));
      pages += 1;
      const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
      path = next?.replace(/^.*\/api\/v1/, "");
    }
    expect(seen).toEqual(ids);
    expect(pages).toBe(3);
  });

  it("begins after the id in `after`, even if no domain has that id", async () => {
    const after = String(ids[1]);
    expect(itemsOf((await shop.owner.get(`/domains?after=${after}`)).body).map(({ id }) => id)).toEqual(
      ids.slice(2),
    );
    expect((await shop.owner.get("/domains?limit=1000&after=9007199254740991")).body).toEqual([]);
  });

  it.each(["limit=0", "limit=1001", "limit=-1", "limit=1e1", "limit=", "limit=x", "after=-1", "after=x"])(
    "answers 422 for ?%s and names the field",
    async (query) => {
      const answer = await shop.owner.get(`/domains?${query}`);
      expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
      expect(Object.keys(objectOf(objectOf(answer.body).errors))).toEqual([query.split("=")[0]]);
    },
  );

  it("ignores unknown parameters", async () => {
    expect(await shop.owner.get("/domains?sort=name&__proto__=1")).toMatchObject({ status: 200 });
  });
});
