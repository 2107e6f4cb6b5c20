import { describe, expect, it } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const assets = [
  ["/docs/assets/swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
  ["/docs/assets/reference.js", "text/javascript; charset=utf-8"],
  ["/docs/assets/swagger-ui.css", "text/css; charset=utf-8"],
  ["/docs/assets/favicon-32x32.png", "image/png"],
] as const;

describe("GET /docs", () => {
  it("serves the page without a key, and names no other host", async () => {
    const gateway = await gatewayUnderTest();
    const response = await fetch(`${gateway.origin}/docs`);
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page).not.toMatch(/https?:|\/\/[a-z]/);
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    expect(loaded.toSorted()).toEqual(assets.map(([path]) => path).toSorted());
  });

  it("allows the page its own scripts, styles and calls, and nothing else", async () => {
    const gateway = await gatewayUnderTest();
    for (const path of ["/docs", ...assets.map(([asset]) => asset)]) {
      const { headers } = await fetch(gateway.origin + path);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  it.each(assets)("serves %s from its package", async (path, type) => {
    const gateway = await gatewayUnderTest();
    const response = await fetch(gateway.origin + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get("content-length")));
    expect(await fetch(gateway.origin + path, { method: "HEAD" })).toMatchObject({ status: 200 });
  });

  it("serves no other file", async () => {
    const gateway = await gatewayUnderTest();
    const paths = [
      "/docs/assets/index.html",
      "/docs/assets/..%2fpackage.json",
      "/docs/assets/package.json",
      "/docs/x",
    ];
    for (const path of paths) expect((await fetch(gateway.origin + path)).status).toBe(404);
    const wrong = await fetch(`${gateway.origin}/docs`, { method: "POST" });
    expect(wrong.status).toBe(405);
  });

  it("is one route in the metrics and the log, and does not change the API's own policy", async () => {
    const gateway = await gatewayUnderTest();
    await fetch(`${gateway.origin}/docs`);
    expect(gateway.log).toMatchObject([{ level: "debug", fields: { path: "/docs", status: 200 } }]);
    const { headers } = await gateway.request("/domains");
    expect(headers.get("content-security-policy")).toBe("default-src 'none';frame-ancestors 'none'");
  });
});
