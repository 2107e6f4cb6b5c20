import { describe, expect, it } from "vitest";

import { samplePlan, sampleRegion } from "../../testing/fake-server-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const plan = { id: 3, cores: 2, price: 9.99, title: "Small", memory: 4, storage: 80 };
const region = { id: 5, region: "fra", location: "Frankfurt" };

describe("GET /stock", () => {
  it("answers a bare array of stock entries, in the specification's fields and order", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/stock");
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(JSON.stringify([{ stock: { plan, stock: 4, available: true }, region }]));
  });

  it("shows plans out of stock", async () => {
    const gateway = await gatewayUnderTest({
      catalogue: { listStock: () => ({ entries: [{ plan: samplePlan, region: sampleRegion, units: 0 }] }) },
    });
    const answer = await gateway.request("/stock");
    expect(answer.json).toEqual([{ stock: { plan, stock: 0, available: false }, region }]);
  });
});

describe("GET /plans, /regions, /distros", () => {
  it.each([
    ["/plans", [plan]],
    ["/regions", [region]],
    [
      "/distros",
      [
        { id: 1, name: "Debian", version: "12" },
        { id: 2, name: "Debian", version: "13" },
      ],
    ],
  ])("answers %s as a bare array", async (path, items) => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.request(path)).toMatchObject({ status: 200, text: JSON.stringify(items) });
  });

  it("pages the distributions, which the service answers all at once", async () => {
    const gateway = await gatewayUnderTest();
    const first = await gateway.request("/distros?limit=1");
    expect(first.json).toMatchObject([{ id: 1 }]);
    expect(first.headers.get("link")).toContain("after=1");
    const second = await gateway.request("/distros?limit=1&after=1");
    expect(second.json).toMatchObject([{ id: 2 }]);
    expect(second.headers.get("link")).toBeNull();
  });

  it.each(["limit=0", "limit=1001", "limit=1.5", "limit=", "after=-1", "after=x", "after=1e3"])(
    "refuses ?%s with 422",
    async (query) => {
      const gateway = await gatewayUnderTest();
      const [field = ""] = query.split("=");
      for (const path of ["/plans", "/regions", "/distros", "/servers", "/tickets", "/domains"]) {
        expect(await gateway.request(`${path}?${query}`)).toMatchObject({
          status: 422,
          json: { errors: { [field]: [expect.stringContaining(field)] } },
        });
      }
    },
  );
});
