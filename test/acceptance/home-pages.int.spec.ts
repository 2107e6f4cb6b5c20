import { afterAll, beforeAll, expect, it } from "vitest";

import { openShop, type Shop } from "../support/shop.ts";

/** Pages at the addresses of Hostledger, as a browser shows them. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

it.each(["baseUrl", "adminUrl"] as const)(
  "%s: `/` describes the listener, and each of its links works",
  async (url) => {
    const { origin } = new URL(shop.instance[url]);
    const response = await fetch(origin);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain("<h1>Hostledger");
    expect(page).not.toMatch(/hl[a-z]_/);
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => new URL(link, origin));
    const paths = links.map(({ pathname }) => pathname);
    expect(paths).toEqual(expect.arrayContaining(["/docs", "/audit", "/healthz", "/readyz"]));
    for (const link of links) {
      const { status } = await fetch(link);
      expect([link.href, status]).toEqual([link.href, link.pathname === "/metrics" ? 401 : 200]);
    }
  },
);

it.each(["baseUrl", "adminUrl"] as const)("%s: `/` accepts reads only", async (url) => {
  const { origin } = new URL(shop.instance[url]);
  expect((await fetch(origin, { method: "HEAD" })).status).toBe(200);
  const posted = await fetch(origin, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, expect.stringContaining("GET")]);
});
