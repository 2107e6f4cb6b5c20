import { gzipSync } from "node:zlib";

import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { rejectionError, requestContextOf } from "@hostledger/rpc";
import { createMetrics, defined } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { failure } from "./refusal.ts";
import { keyOfSeven } from "../testing/fake-services.ts";
import {
  gatewayUnderTest,
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  read,
  type ReadAnswer,
} from "../testing/gateway-under-test.ts";
import { maximumBodyBytes } from "./json-body.ts";

const json = { "content-type": "application/json" };
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

const registering = (options: GatewayUnderTestOptions = {}) =>
  gatewayUnderTest({
    ...options,
    domain: {
      registerDomain: () =>
        create(domain.RegisterDomainResponseSchema, { invoiceId: 1n, domain: { id: 7n }, years: 1 }),
    },
  });

function send(
  gateway: GatewayUnderTest,
  body: NonNullable<RequestInit["body"]>,
  headers: Record<string, string> = json,
): Promise<ReadAnswer> {
  return gateway.request("/domains", { method: "POST", headers, body });
}

describe("authentication", () => {
  it.each([keyOfSeven, `Bearer ${keyOfSeven}`, `bearer ${keyOfSeven}`])(
    "accepts %s",
    async (authorization) => {
      const gateway = await gatewayUnderTest();
      expect(await gateway.request("/domains", { headers: { authorization } })).toMatchObject({
        status: 200,
      });
    },
  );

  it.each([
    "",
    "Bearer",
    "Bearer ",
    "Basic dTpw",
    "unknown",
    "two words",
    "k\u00e9y",
    "k".repeat(300),
    `${keyOfSeven}x`,
  ])("refuses %j with 401 and a challenge", async (authorization) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/domains", { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="hostledger"');
    expect(answer.json).toEqual({ status: false, error: expect.any(String), code: "unauthenticated" });
    expect(answer.text).not.toContain(keyOfSeven);
  });

  it("comes before every other check of a request", async () => {
    const gateway = await gatewayUnderTest();
    const response = await fetch(`${gateway.running.url}/domains`, { method: "POST", body: "not JSON" });
    expect(response.status).toBe(401);
  });
});

describe("request ids", () => {
  it("are the caller's trace id, in the answer, at the service and in the log", async () => {
    const seen: string[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        listDomains(_request, context) {
          seen.push(requestContextOf(context).requestId);
          return create(domain.ListDomainsResponseSchema);
        },
      },
    });
    const answer = await gateway.request("/domains", { headers: { traceparent } });
    expect(answer.headers.get("x-request-id")).toBe(traceId);
    expect(seen).toEqual([traceId]);
    expect(gateway.log).toMatchObject([
      { level: "debug", fields: { requestId: traceId, status: 200, accountId: 7 } },
    ]);
  });

  it.each([
    "nonsense",
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    traceparent.toUpperCase(),
    `${traceparent}-x`,
  ])("are new when the traceparent is %s", async (invalid) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/domains", { headers: { traceparent: invalid } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("x-request-id")).not.toBe(traceId);
  });

  it("are in failures too, a different one each", async () => {
    const gateway = await gatewayUnderTest();
    const paths = ["/nowhere", "/domains/x", "/domains/search", "/domains/9"];
    const answers = await Promise.all(paths.map((path) => gateway.request(path)));
    const ids = new Set(answers.map(({ headers }) => headers.get("x-request-id")));
    expect(ids.size).toBe(4);
    expect(ids).not.toContain(null);
  });
});

describe("paths", () => {
  it.each(["/", "/nowhere", "/domain", "/Domains", "/domains/7/", "/domains//", "/domains/7/nowhere/1"])(
    "answers %s without a crash",
    async (path) => {
      const gateway = await gatewayUnderTest();
      const answer = await gateway.request(path);
      expect(answer.status).toBe(path === "/domains/7/" ? 200 : 404);
      if (answer.status === 404) expect(answer.json).toMatchObject({ status: false, code: "not_found" });
    },
  );

  it("answers HEAD with GET's headers and without a body", async () => {
    const gateway = await gatewayUnderTest();
    const get = await gateway.request("/domains");
    const head = await gateway.request("/domains", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });
});

describe("bodies", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "Application/JSON",
  ])("accepts the type %s", async (type) => {
    const gateway = await registering();
    expect((await send(gateway, '{"domain":"a.com"}', { "content-type": type })).status).toBe(201);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/xml",
    "json",
    "application/json; charset=latin1",
  ])("refuses the type %s with 415", async (type) => {
    const gateway = await registering();
    const answer = await send(gateway, '{"domain":"a.com"}', { "content-type": type });
    expect(answer).toMatchObject({ status: 415, json: { status: false, code: "unsupported_media_type" } });
  });

  it("refuses a body without a type, and an encoded one, with 415", async () => {
    const gateway = await registering();
    const body = Buffer.from('{"domain":"a.com"}');
    expect(await send(gateway, body, {})).toMatchObject({ status: 415 });
    const encoded = await send(gateway, gzipSync(body), { ...json, "content-encoding": "gzip" });
    expect(encoded).toMatchObject({ status: 415, json: { code: "unsupported_media_type" } });
  });

  it.each(["{", "{'domain':1}", '{"domain":"a.com"}}', "\u0000", "NaN"])(
    "refuses %j, which is no JSON, with 400",
    async (body) => {
      const gateway = await registering();
      expect(await send(gateway, body)).toMatchObject({
        status: 400,
        json: { status: false, code: "malformed_request" },
      });
    },
  );

  it("refuses bytes that are no UTF-8 with 400", async () => {
    const gateway = await registering();
    const body = Buffer.concat([
      Buffer.from('{"domain":"a.com","note":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect(await send(gateway, body)).toMatchObject({ status: 400, json: { code: "malformed_request" } });
  });

  it.each([
    ["[]", "an array"],
    ['[{"domain":"a.com"}]', "an array"],
    ["null", "null"],
    ["5", "a number"],
    ['"a.com"', "a string"],
    ["true", "a boolean"],
  ])("refuses %s with 422 and explains that it is %s", async (body, kind) => {
    const gateway = await registering();
    const error = `The body must be a JSON object, not ${kind}.`;
    expect(await send(gateway, body)).toMatchObject({
      status: 422,
      json: { error, errors: { body: [error] } },
    });
  });

  it("treats a missing body as an empty object, so that the missing field is named", async () => {
    const gateway = await registering();
    const answer = await gateway.request("/domains", { method: "POST" });
    expect(answer).toMatchObject({
      status: 422,
      json: { errors: { domain: ["The field domain is required."] } },
    });
  });

  it("accepts 64 KiB and refuses one byte more with 413, also in chunks", async () => {
    const gateway = await registering();
    const ofLength = (length: number): string => '{"domain":"a.com"}'.padEnd(length);
    expect(await send(gateway, ofLength(maximumBodyBytes))).toMatchObject({ status: 201 });
    const large = { status: 413, json: { status: false, code: "payload_too_large" } };
    expect(await send(gateway, ofLength(maximumBodyBytes + 1))).toMatchObject(large);
    const chunked = new Blob([ofLength(maximumBodyBytes + 1)]).stream();
    const init = { method: "POST", headers: json, body: chunked, duplex: "half" } as const;
    expect(await gateway.request("/domains", init)).toMatchObject(large);
  });

  it("reads a body nested as deep as 64 KiB allow", async () => {
    const gateway = await registering();
    const depth = 32_000;
    const body = `{"domain":"a.com","x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(await send(gateway, body)).toMatchObject({ status: 201 });
  });
});

describe("the log and the metrics", () => {
  it("log a read at debug, a write and a refusal at info, and count each by its route", async () => {
    const metrics = createMetrics({ process: false });
    const gateway = await registering({ metrics });
    await gateway.request("/domains");
    await gateway.post("/domains", { domain: "a.com" });
    await gateway.request("/domains/9");
    await gateway.request("/nowhere");
    expect(gateway.log).toMatchObject([
      { level: "debug", fields: { method: "GET", path: "/api/v1/domains", status: 200 } },
      { level: "info", fields: { method: "POST", path: "/api/v1/domains", status: 201, accountId: 7 } },
      { level: "info", fields: { path: "/api/v1/domains/9", status: 404, code: "not_found" } },
      { level: "info", fields: { path: "/api/v1/nowhere", status: 404 } },
    ]);
    const text = await metrics.text();
    const counted = (labels: string): string => `hostledger_http_request_seconds_count{${labels}} 1`;
    expect(text).toContain(counted('method="GET",route="/domains/{domain}",status="404"'));
    expect(text).toContain(counted('method="GET",route="unmatched",status="404"'));
  });
});

describe("failures", () => {
  it("hide internal errors, and log them in full", async () => {
    const gateway = await gatewayUnderTest({
      domain: {
        listDomains() {
          throw new Error("table domain_list is locked");
        },
      },
    });
    const answer = await gateway.request("/domains");
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({ status: false, error: expect.any(String), code: "internal" });
    expect(answer.text).not.toContain("domain_list");
    expect(gateway.log).toMatchObject([{ level: "error", fields: { status: 500, err: expect.any(Error) } }]);
  });

  it("are an internal error if a service omits a required field", async () => {
    const gateway = await gatewayUnderTest({
      domain: { getDomain: () => create(domain.GetDomainResponseSchema) },
    });
    expect(await gateway.request("/domains/7")).toMatchObject({ status: 500, json: { code: "internal" } });
  });

  it.each([
    [undefined, "1"],
    [{ retryAfterSeconds: 9 }, "9"],
  ])("of an overloaded service are 503 with Retry-After (%j)", async (detail, seconds) => {
    const gateway = await gatewayUnderTest({
      domain: {
        listDomains() {
          throw rejectionError({
            code: "overloaded",
            message: "Busy.",
            ...defined({ detail }),
          });
        },
      },
    });
    const answer = await gateway.request("/domains");
    expect(answer).toMatchObject({ status: 503, json: { code: "overloaded" } });
    expect(answer.headers.get("retry-after")).toBe(seconds);
  });

  it("of a service that does not answer in time are 504", async () => {
    const gateway = await gatewayUnderTest({
      requestTimeoutMs: 20,
      domain: { listDomains: () => new Promise(() => undefined) },
    });
    expect(await gateway.request("/domains")).toMatchObject({
      status: 504,
      json: { code: "deadline_exceeded" },
    });
  });

  it("all have the same shape", async () => {
    const gateway = await gatewayUnderTest();
    const answers = await Promise.all([
      gateway.request("/domains", { headers: { authorization: "unknown" } }),
      gateway.request("/nowhere"),
      gateway.request("/domains", { method: "PUT" }),
      gateway.post("/domains", {}),
      send(gateway, "{"),
      send(gateway, "{}", { "content-type": "text/plain" }),
    ]);
    for (const { json: body } of answers) expect(failure.strict().safeParse(body).error).toBeUndefined();
  });
});

describe("headers", () => {
  it("protect every answer, and do not name the software", async () => {
    const gateway = await gatewayUnderTest();
    const read = await gateway.request("/domains");
    const write = await gateway.put("/domains/7/settings", { auto_renew: true });
    const refused = await gateway.request("/nowhere");
    for (const { headers } of [read, write, refused]) {
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("default-src 'none';frame-ancestors 'none'");
      expect(headers.get("strict-transport-security")).toContain("max-age");
      expect(headers.get("x-powered-by")).toBeNull();
    }
    expect(read.headers.get("cache-control")).toBe("private, no-cache");
    for (const { headers } of [write, refused]) expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("health", () => {
  it("answers /healthz and /readyz without a key, outside the API", async () => {
    const gateway = await gatewayUnderTest();
    expect(await read(await fetch(`${gateway.origin}/healthz`))).toMatchObject({
      status: 200,
      json: { status: "ok" },
    });
    expect(await read(await fetch(`${gateway.origin}/readyz`))).toMatchObject({
      status: 200,
      json: { status: "ready" },
    });
    const wrong = await fetch(`${gateway.origin}/healthz`, { method: "POST" });
    expect(wrong.status).toBe(405);
  });

  it("answers 503 on /readyz while something is missing, and names no part of ours", async () => {
    const parts = { account: "serving", domain: "catching-up" };
    const gateway = await gatewayUnderTest({ readiness: () => Promise.resolve({ ready: false, parts }) });
    const answer = await read(await fetch(`${gateway.origin}/readyz`));
    expect(answer).toMatchObject({ status: 503, json: { status: false, code: "overloaded" } });
    expect(answer.json).not.toHaveProperty("parts");
    expect(JSON.stringify(answer.json)).not.toMatch(/account|domain/);
  });
});
