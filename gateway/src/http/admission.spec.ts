import { describe, expect, it } from "vitest";

import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";

import { keyOfEight, keyOfSeven } from "../testing/fake-services.ts";
import { gatewayUnderTest, type GatewayUnderTest, type ReadAnswer } from "../testing/gateway-under-test.ts";

const statuses = async (asked: readonly Promise<ReadAnswer>[]): Promise<number[]> =>
  (await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b);

const withKey = ({ request }: GatewayUnderTest, authorization: string): Promise<ReadAnswer> =>
  request("/billing/balance", { headers: { authorization } });

describe("the limit of an API key", () => {
  it("lets so many requests a minute pass and answers the others 429, with Retry-After", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 3 });
    const asked = Array.from({ length: 5 }, () => withKey(gateway, keyOfSeven));
    expect(await statuses(asked)).toEqual([200, 200, 200, 429, 429]);
    const refused = await withKey(gateway, keyOfSeven);
    expect(refused.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=0;t=\d+$/);
    expect(refused.json).toEqual({
      status: false,
      error: expect.stringMatching(/^An API key has 3 requests a minute\. Try again in \d+ s\.$/),
      code: "rate_limited",
    });
    expect(gateway.log.at(-1)).toMatchObject({ fields: { status: 429, code: "rate_limited" } });
  });

  it("is each key's own, and not its account's", async () => {
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 1,
      account: {
        resolveApiKey: ({ apiKey }) =>
          create(account.ResolveApiKeyResponseSchema, { accountId: 7n, keyId: apiKey === "one" ? 1n : 2n }),
      },
    });
    expect((await withKey(gateway, "one")).status).toBe(200);
    expect((await withKey(gateway, "one")).status).toBe(429);
    expect((await withKey(gateway, "two")).status).toBe(200);
  });

  it("stands on every answer with a valid key, refusals among them", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 600 });
    const answers = [
      await gateway.request("/domains"),
      await gateway.request("/domains/9"),
      await gateway.request("/domains/8"),
      await gateway.post("/domains", {}),
      await gateway.request("/domains", { method: "POST", body: "x" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 403, 422, 415]);
    for (const [at, { headers }] of answers.entries()) {
      expect(headers.get("ratelimit-policy")).toBe('"default";q=600;w=60');
      expect(headers.get("ratelimit")).toMatch(new RegExp(`^"default";r=${String(599 - at)};t=\\d+$`));
    }
  });

  it("is not told without a key, and not of paths that need none", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 1 });
    const health = (): Promise<Response> => fetch(`${gateway.origin}/healthz`);
    expect([(await health()).status, (await health()).status, (await health()).status]).toEqual([
      200, 200, 200,
    ]);
    expect((await health()).headers.get("ratelimit")).toBeNull();
    expect((await withKey(gateway, "unknown")).headers.get("ratelimit")).toBeNull();
  });

  it("is none at 0", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 0 });
    const asked = Array.from({ length: 20 }, () => withKey(gateway, keyOfSeven));
    expect(new Set(await statuses(asked))).toEqual(new Set([200]));
    expect((await withKey(gateway, keyOfSeven)).headers.get("ratelimit")).toBeNull();
  });
});

describe("the limit of failed authentications", () => {
  it("turns an address away without asking the account service", async () => {
    let asked = 0;
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 3,
      account: {
        resolveApiKey() {
          asked += 1;
          throw rejectionError({ code: "unauthenticated", message: "Unknown." });
        },
      },
    });
    for (const status of [401, 401, 401, 429, 429]) {
      expect((await withKey(gateway, "guess")).status).toBe(status);
    }
    expect(asked).toBe(3);
    const refused = await withKey(gateway, "guess");
    expect(refused.json).toMatchObject({ status: false, code: "rate_limited" });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  it("does not count what the account service could not answer", async () => {
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 1,
      account: {
        resolveApiKey() {
          throw rejectionError({ code: "overloaded", message: "Busy." });
        },
      },
    });
    for (let turn = 0; turn < 3; turn += 1) expect((await withKey(gateway, keyOfSeven)).status).toBe(503);
  });

  it("leaves those alone whose key was good lately, until it no longer is", async () => {
    let isRevoked = false;
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 5,
      account: {
        resolveApiKey({ apiKey }) {
          if (apiKey === "guess" || isRevoked) {
            throw rejectionError({ code: "unauthenticated", message: "Unknown." });
          }
          return create(account.ResolveApiKeyResponseSchema, { accountId: 7n, keyId: 1n });
        },
      },
    });
    expect((await withKey(gateway, keyOfSeven)).status).toBe(200);
    for (let turn = 0; turn < 6; turn += 1) await withKey(gateway, "guess");
    expect((await withKey(gateway, "guess")).status).toBe(429);
    expect((await withKey(gateway, keyOfSeven)).status).toBe(200);
    expect((await withKey(gateway, keyOfEight)).status).toBe(429);
    isRevoked = true;
    expect((await withKey(gateway, keyOfSeven)).status).toBe(401);
    expect((await withKey(gateway, keyOfSeven)).status).toBe(429);
  });
});
