import { once } from "node:events";
import { IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { callerRefusedReason, rejectionError } from "@hostledger/rpc";

import { keyOfEight, keyOfSeven } from "../testing/fake-services.ts";
import { gatewayUnderTest, type GatewayUnderTest, type ReadAnswer } from "../testing/gateway-under-test.ts";

const statuses = async (asked: readonly Promise<ReadAnswer>[]): Promise<number[]> =>
  (await Promise.all(asked)).map(({ status }) => status).toSorted((a, b) => a - b);

const withKey = ({ request }: GatewayUnderTest, authorization: string): Promise<ReadAnswer> =>
  request("/billing/balance", { headers: { authorization } });

describe("the limit of an API key", () => {
  it("admits so many requests a minute and answers the others 429, with Retry-After", async () => {
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

  it("is not used up by a right key from a wrong address: that counts as a failure of the address", async () => {
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 2,
      trustedProxies: ["127.0.0.1"],
      account: {
        resolveApiKey({ clientAddress }) {
          if (clientAddress !== "192.0.2.7")
            throw rejectionError({ code: "address-not-allowed", message: "Not from there." });
          return create(account.ResolveApiKeyResponseSchema, { accountId: 7n, keyId: 107n });
        },
      },
    });
    const calledFrom = async (address: string): Promise<number> =>
      (await gateway.request("/domains", { headers: { "x-forwarded-for": address } })).status;
    const elsewhere = [1, 2, 3].map(() => calledFrom("198.51.100.1"));
    expect((await Promise.all(elsewhere)).toSorted((a, b) => a - b)).toEqual([403, 403, 429]);
    expect(await calledFrom("192.0.2.7")).toBe(200);
  });

  it("is in every answer to a valid key, also in refusals", async () => {
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

  it("is not shown without a key, nor on paths without authentication", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 1 });
    const health = (): Promise<Response> => fetch(`${gateway.origin}/healthz`);
    expect([(await health()).status, (await health()).status, (await health()).status]).toEqual([
      200, 200, 200,
    ]);
    expect((await health()).headers.get("ratelimit")).toBeNull();
    expect((await withKey(gateway, "unknown")).headers.get("ratelimit")).toBeNull();
  });

  it("is off at 0", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 0 });
    const asked = Array.from({ length: 20 }, () => withKey(gateway, keyOfSeven));
    expect(new Set(await statuses(asked))).toEqual(new Set([200]));
    expect((await withKey(gateway, keyOfSeven)).headers.get("ratelimit")).toBeNull();
  });
});

/** An account service that knows only the keys of customers 7 and 8. */
const onlyCustomers = {
  resolveApiKey({ apiKey }: { readonly apiKey: string }) {
    if (apiKey !== keyOfSeven && apiKey !== keyOfEight)
      throw rejectionError({ code: "unauthenticated", message: "Unknown." });
    return create(account.ResolveApiKeyResponseSchema, {
      accountId: apiKey === keyOfSeven ? 7n : 8n,
      keyId: apiKey === keyOfSeven ? 1n : 2n,
    });
  },
};

const from = ({ request }: GatewayUnderTest, forwarded: string, authorization: string): Promise<ReadAnswer> =>
  request("/billing/balance", { headers: { authorization, "x-forwarded-for": forwarded } });

describe("the limit of failed authentications", () => {
  it("answers an address 429 in place of 401", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 3, account: onlyCustomers });
    for (const [at, status] of [401, 401, 401, 429, 429].entries())
      expect((await withKey(gateway, `guess-${String(at)}-of-many`)).status).toBe(status);
    const refused = await withKey(gateway, "another-guess");
    expect(refused.json).toMatchObject({ status: false, code: "rate_limited" });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    const malformed = await gateway.request("/billing/balance", { headers: { authorization: "two words" } });
    expect(malformed.status).toBe(429);
  });

  it("answers 503 if a service refuses the gateway itself: the customer's key is valid, and nothing is counted", async () => {
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 1,
      account: {
        resolveApiKey() {
          throw rejectionError({
            code: "unauthenticated",
            message: "The key gateway.x is not known.",
            detail: { reason: callerRefusedReason },
          });
        },
      },
    });
    for (let time = 0; time < 3; time += 1) {
      const answer = await withKey(gateway, keyOfSeven);
      expect([answer.status, answer.json]).toMatchObject([503, { code: "temporarily_unavailable" }]);
      expect(JSON.stringify(answer.json)).not.toContain("gateway.x");
    }
  });

  it("does not count requests that the account service could not answer", async () => {
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

  it("never refuses a valid key behind the same address, also a new one", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 5, account: onlyCustomers });
    for (let turn = 0; turn < 20; turn += 1) await withKey(gateway, `guess-${String(turn)}-of-many`);
    expect((await withKey(gateway, "guess")).status).toBe(429);
    expect((await withKey(gateway, keyOfSeven)).status).toBe(200);
    expect((await withKey(gateway, keyOfEight)).status).toBe(200);
  });

  it("never shuts out a valid key however many ways of writing it were sent", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 110, account: onlyCustomers });
    for (let blanks = 1; blanks <= 100; blanks += 1)
      expect((await withKey(gateway, `Bearer${" ".repeat(blanks)}${keyOfEight}`)).status).toBe(200);
    for (let turn = 0; turn < 111; turn += 1) await withKey(gateway, `${String(turn)}-is-a-guess`);
    expect((await withKey(gateway, "guess")).status).toBe(429);
    expect((await withKey(gateway, keyOfSeven)).status).toBe(200);
  });

  it("applies to a key's prefix too, from any address, and not to the key itself", async () => {
    const beginning = "hlk_7_3_";
    const gateway = await gatewayUnderTest({
      requestsPerMinute: 3,
      trustedProxies: ["127.0.0.0/8"],
      account: {
        resolveApiKey({ apiKey }) {
          if (!apiKey.endsWith("right"))
            throw rejectionError({ code: "unauthenticated", message: "Unknown." });
          return create(account.ResolveApiKeyResponseSchema, { accountId: 7n, keyId: 3n });
        },
      },
    });
    const guess = (at: number, key: string): Promise<ReadAnswer> =>
      from(gateway, `192.0.2.${String(at)}`, key);
    for (const [at, status] of [401, 401, 401, 429].entries())
      expect((await guess(at, `${beginning}${String(at)}`)).status).toBe(status);
    expect((await guess(9, "hlk_7_4_other")).status).toBe(401);
    expect((await guess(10, `${beginning}right`)).status).toBe(200);
  });
});

describe("the client's address", () => {
  const guesses = async (gateway: GatewayUnderTest, forwarded: string, times: number): Promise<number[]> => {
    const answers = [];
    for (let turn = 0; turn < times; turn += 1)
      answers.push(await from(gateway, forwarded, `${forwarded}-guess-${String(turn)}`.slice(-10)));
    return answers.map(({ status }) => status);
  };

  it("is the connection's, despite X-Forwarded-For, without trusted proxies", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 2, account: onlyCustomers });
    const statuses = [];
    for (const last of [1, 2, 3]) statuses.push(...(await guesses(gateway, `192.0.2.${String(last)}`, 1)));
    expect(statuses).toEqual([401, 401, 429]);
  });

  it("is the address that a trusted proxy sends", async () => {
    const trustedProxies = ["127.0.0.0/8"];
    const gateway = await gatewayUnderTest({ requestsPerMinute: 2, trustedProxies, account: onlyCustomers });
    expect(await guesses(gateway, "192.0.2.1", 3)).toEqual([401, 401, 429]);
    expect(await guesses(gateway, "192.0.2.2", 2)).toEqual([401, 401]);
  });

  it("is read from the right up to the first untrusted hop: a client's own entries do not count", async () => {
    const trustedProxies = ["127.0.0.0/8", "10.0.0.0/8"];
    const gateway = await gatewayUnderTest({ requestsPerMinute: 2, trustedProxies, account: onlyCustomers });
    const statuses = [];
    for (const forged of ["198.51.100.1", "198.51.100.2", "x".repeat(1_000)])
      statuses.push(...(await guesses(gateway, `${forged}, 192.0.2.1, 10.0.0.7`, 1)));
    expect(statuses).toEqual([401, 401, 429]);
  });
});

describe("two Authorization headers", () => {
  it("are refused with 400: which of them a proxy judged is not known", async () => {
    const gateway = await gatewayUnderTest();
    const sent = request(`${gateway.running.url}/billing/balance`, {
      headers: ["host", "gateway", "authorization", keyOfSeven, "authorization", keyOfEight],
    });
    sent.end();
    const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(sent, "response"));
    expect(answer.statusCode).toBe(400);
    expect(JSON.parse(await text(answer))).toMatchObject({ status: false, code: "malformed_request" });
  });
});
