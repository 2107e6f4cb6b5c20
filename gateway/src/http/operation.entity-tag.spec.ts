import { create } from "@bufbuild/protobuf";
import { account, domain } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { operations } from "../operations.ts";
import { domainMessage, keyOfEight, keyOfSeven } from "../testing/fake-services.ts";
import {
  gatewayUnderTest,
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  type ReadAnswer,
} from "../testing/gateway-under-test.ts";
import { hasEntityTag } from "./operation.ts";

const withTag = (tag: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { "if-none-match": tag, ...more },
});

function tagOf({ status, headers }: ReadAnswer): string {
  expect(status).toBe(200);
  const tag = headers.get("etag") ?? "";
  expect(tag).toMatch(/^"[\w-]{22}"$/);
  return tag;
}

/** Starts a gateway whose domain service returns these domains. */
async function listing(domains: () => readonly domain.Domain[], options: GatewayUnderTestOptions = {}) {
  return gatewayUnderTest({
    ...options,
    domain: {
      listDomains: ({ page }) => ({ domains: domains().slice(0, page?.limit ?? 1_000) }),
    },
  });
}

const both = [domainMessage(7n, "a.com"), domainMessage(8n, "b.com")];

describe("the entity tag of a read", () => {
  it.each(["/domains", "/domains/7", "/billing/balance", "/account", "/plans"])("is on %s", async (path) => {
    const gateway = await gatewayUnderTest();
    const first = await gateway.request(path);
    const again = await gateway.request(path);
    expect(tagOf(again)).toBe(tagOf(first));
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    expect(first.headers.get("vary")).toBe("Authorization");
  });

  it("changes with every change of the answer", async () => {
    let domains = both;
    const gateway = await listing(() => domains);
    const before = tagOf(await gateway.request("/domains"));
    domains = both.map((each) => create(domain.DomainSchema, { ...each, autoRenew: true }));
    const after = await gateway.request("/domains", withTag(before));
    expect(tagOf(after)).not.toBe(before);
    expect(after.json).toHaveLength(2);
  });

  it("changes when a page is no longer the last", async () => {
    let domains = both.slice(0, 1);
    const gateway = await listing(() => domains);
    const last = await gateway.request("/domains?limit=1");
    domains = both;
    const followed = await gateway.request("/domains?limit=1", withTag(tagOf(last)));
    expect(followed.text).toBe(last.text);
    expect(tagOf(followed)).not.toBe(tagOf(last));
    expect(followed.headers.get("link")).toContain("after=7");
  });

  it("of one account is invalid for another, even with equal content", async () => {
    const gateway = await listing(() => []);
    const ofSeven = await gateway.request("/domains");
    const ofEight = await gateway.request("/domains", withTag(tagOf(ofSeven), { authorization: keyOfEight }));
    expect(ofEight.text).toBe(ofSeven.text);
    expect(tagOf(ofEight)).not.toBe(tagOf(ofSeven));
  });

  it("is on no write, failure, file or secret", async () => {
    const gateway = await gatewayUnderTest();
    const answers = await Promise.all([
      gateway.put("/domains/7/settings", { auto_renew: true }),
      gateway.request("/domains/9"),
      gateway.request("/billing/invoices/7.xml"),
      gateway.request("/domains/7/auth-code"),
    ]);
    for (const { headers } of answers) {
      expect(headers.get("etag")).toBeNull();
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
  });

  it("is on no list that is sent page by page, because its end is unread", async () => {
    const page = Array.from({ length: 1_000 }, (_, at) => domainMessage(BigInt(at + 1), `${String(at)}.com`));
    const gateway = await gatewayUnderTest({
      domain: { listDomains: ({ page: asked }) => ({ domains: asked?.afterId === 0n ? page : [] }) },
    });
    const answer = await gateway.request("/domains", withTag("*"));
    expect(answer.json).toHaveLength(1_000);
    expect(answer.headers.get("etag")).toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("of a firewall covers its rules only, so that the answer is sent whole", async () => {
    const gateway = await gatewayUnderTest();
    const first = await gateway.request("/servers/7/firewall");
    const again = await gateway.request("/servers/7/firewall", withTag(first.headers.get("etag") ?? ""));
    expect(again).toMatchObject({ status: 200, text: first.text });
  });
});

describe("a read with If-None-Match", () => {
  const unchanged = async (path: string, gateway: GatewayUnderTest, method = "GET") => {
    const whole = await gateway.request(path);
    return { whole, answer: await gateway.request(path, { ...withTag(tagOf(whole)), method }) };
  };

  it.each(["GET", "HEAD"])("is answered 304 to %s, with the headers of 200 and no body", async (method) => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 10 });
    const { whole, answer } = await unchanged("/domains", gateway, method);
    expect(answer).toMatchObject({ status: 304, text: "" });
    for (const name of ["etag", "cache-control", "vary", "ratelimit-policy", "x-content-type-options"])
      expect(answer.headers.get(name), name).toBe(whole.headers.get(name));
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("content-type")).toBeNull();
    expect(answer.headers.get("content-length")).toBeNull();
  });

  it("has the link to the next page", async () => {
    const gateway = await listing(() => both);
    const { whole, answer } = await unchanged("/domains?limit=1", gateway);
    expect(answer.status).toBe(304);
    expect(answer.headers.get("link")).toBe(whole.headers.get("link"));
  });

  it.each([
    ["*", 304],
    [" * ", 304],
    ["TAG", 304],
    ["W/TAG", 304],
    ['"one", TAG', 304],
    ['W/"one" ,W/TAG, "two"', 304],
    [", ,TAG", 304],
    ['"one"', 200],
    ['"*"', 200],
    ["", 200],
    ["UNQUOTED", 200],
    ["nonsense", 200],
    ['"', 200],
    [`"${"x".repeat(4_100)}", TAG`, 200],
  ])("compares tags weakly: %s", async (condition, status) => {
    const gateway = await gatewayUnderTest();
    const tag = tagOf(await gateway.request("/domains"));
    const named = condition.replace("UNQUOTED", tag.slice(1, -1)).replace("TAG", tag);
    const answer = await gateway.request("/domains", withTag(named));
    expect(answer.status).toBe(status);
  });

  it("still requires a valid key with the scope", async () => {
    let scopes: string[] = [];
    const gateway = await gatewayUnderTest({
      account: {
        resolveApiKey: () =>
          create(account.ResolveApiKeyResponseSchema, { accountId: 7n, keyId: 107n, scopes }),
      },
    });
    const tag = tagOf(await gateway.request("/domains"));
    scopes = ["tickets"];
    for (const condition of [tag, "*"])
      expect(await gateway.request("/domains", withTag(condition))).toMatchObject({ status: 403 });
    const strict = await gatewayUnderTest();
    for (const condition of [tag, "*"])
      expect(
        await strict.request("/domains", withTag(condition, { authorization: "unknown" })),
      ).toMatchObject({
        status: 401,
      });
  });

  it("reveals nothing about missing resources or another account's", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/domains/8", withTag("*"))).status).toBe(403);
    expect((await gateway.request("/domains/9", withTag("*"))).status).toBe(404);
    expect((await gateway.request("/domains?limit=0", withTag("*"))).status).toBe(422);
  });

  it("counts as a request", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 2 });
    const { answer } = await unchanged("/domains", gateway);
    expect(answer.status).toBe(304);
    expect(answer.headers.get("ratelimit")).toMatch(/^"default";r=0;/);
    const headers = { authorization: keyOfSeven };
    expect((await gateway.request("/domains", withTag("*", headers))).status).toBe(429);
  });
});

it("exists for every GET except files, secrets and the firewall", () => {
  const without = operations.filter((each) => each.method === "get" && !hasEntityTag(each));
  expect(without.map(({ id }) => id).toSorted()).toEqual([
    "getAuthCode",
    "getFirewall",
    "getInvoicePdf",
    "getInvoiceXml",
    "getTopUpPdf",
  ]);
});
