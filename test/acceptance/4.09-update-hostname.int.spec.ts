import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyText } from "../support/matchers.ts";
import { openShop, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.9, `PUT /servers/{server}/hostname`. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

const path = (id: number): string => `/servers/${String(id)}/hostname`;

describe("PUT /servers/{server}/hostname", () => {
  it.each(["web", "web-1", "web-1.example.org", "a".repeat(63)])("sets %s", async (hostname) => {
    const id = await shop.provision();
    expect(await shop.owner.put(path(id), { hostname })).toMatchObject({
      status: 200,
      body: { status: true, message: anyText, hostname },
    });
    expect((await shop.owner.get(`/servers/${String(id)}`)).body).toMatchObject({ hostname });
  });

  it.each([[null], [""], ["a"], ["ab"]])("clears the host name for %j", async (hostname) => {
    const id = await shop.provision();
    await shop.owner.put(path(id), { hostname: "web-1" });
    expect(await shop.owner.put(path(id), { hostname })).toMatchObject({
      status: 200,
      body: { status: true, hostname: null },
    });
    expect((await shop.owner.get(`/servers/${String(id)}`)).body).toMatchObject({ hostname: null });
  });

  it.each(["a".repeat(64), "under_score", "-leading", "trailing-", "two..dots", "sp ace", "umläut"])(
    "answers 422 for %s",
    async (hostname) => {
      const id = await shop.provision();
      expect(await shop.owner.put(path(id), { hostname })).toMatchObject({
        status: 422,
        body: { errors: { hostname: [anyText] } },
      });
    },
  );

  it("answers 403 for another account's server and 404 for an unknown server", async () => {
    const id = await shop.provision();
    expect(await shop.stranger.put(path(id), { hostname: "theirs" })).toMatchObject(unauthorized);
    expect(await shop.owner.put(path(999_999), { hostname: "nobody" })).toMatchObject({ status: 404 });
    expect((await shop.owner.get(`/servers/${String(id)}`)).body).toMatchObject({ hostname: null });
  });
});
