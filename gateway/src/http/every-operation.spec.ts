import { gzipSync } from "node:zlib";

import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { operations } from "../operations.ts";
import { failure } from "./refusal.ts";
import { keyOfSeven } from "../testing/fake-services.ts";
import { gatewayUnderTest, type ReadAnswer, sharedGateway } from "../testing/gateway-under-test.ts";
import { maximumBodyBytes } from "./json-body.ts";
import { commonRefusals, type Operation, takesIdempotencyKey } from "./operation.ts";

/** Tests the conventions of every operation (contract, "Conventions"). */

const named = (some: readonly Operation[]): readonly (readonly [string, Operation])[] =>
  some.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation]);
const withBody = named(operations.filter(({ method }) => method !== "get"));
const withKey = named(operations.filter(takesIdempotencyKey));
const withIds = named(operations.filter(({ request }) => request.params !== undefined));
const paths = [...Map.groupBy(operations, ({ path }) => path)].map(([path, sharing]) => ({
  path,
  methods: sharing.map(({ method }) => method.toUpperCase()),
}));

const shared = sharedGateway();
const claiming = sharedGateway({
  idempotency: { beginRequest: () => create(account.BeginRequestResponseSchema) },
});

const pathWith = (path: string, id = "7"): string => path.replaceAll(/\{\w+\}/g, id);

function expectFailure(answer: ReadAnswer, status: number, code: string): void {
  expect(answer).toMatchObject({ status, json: { status: false, code } });
  expect(failure.strict().safeParse(answer.json).error).toBeUndefined();
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
}

it("is in the table once, by its id and by its method and path", () => {
  expect(operations.length).toBeGreaterThan(20);
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  expect(new Set(named(operations).map(([name]) => name)).size).toBe(operations.length);
  for (const { id } of operations) expect(id).toMatch(/^[a-z][a-zA-Z]+$/);
});

it("names as its own no refusal that all operations of its kind have", () => {
  for (const operation of operations) {
    const common = new Set(commonRefusals(operation));
    expect([operation.id, operation.refusals.filter((code) => common.has(code))]).toEqual([operation.id, []]);
  }
});

describe.each(paths)("the path $path", ({ path, methods }) => {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted().join(", ");

  it("answers OPTIONS with Allow, without a body and without a key", async () => {
    const gateway = await shared();
    const answer = await fetch(gateway.running.url + pathWith(path), { method: "OPTIONS" });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("allow")).toBe(allow);
    expect(await answer.text()).toBe("");
  });

  it.each(["GET", "POST", "PUT", "DELETE", "PATCH"].filter((method) => !methods.includes(method)))(
    "answers %s with 405 and Allow",
    async (method) => {
      const gateway = await shared();
      const answer = await gateway.request(pathWith(path), { method });
      expectFailure(answer, 405, "method_not_allowed");
      expect(answer.headers.get("allow")).toBe(allow);
    },
  );

  it("has no path below it that answers by accident", async () => {
    const gateway = await shared();
    expectFailure(await gateway.request(`${pathWith(path)}/no/such/path`), 404, "not_found");
  });
});

describe.each(named(operations))("%s", (_name, { method, path }) => {
  it("requires a key before any other check", async () => {
    const gateway = await shared();
    const headers = { authorization: "unknown", "content-type": "text/plain", "idempotency-key": "not one" };
    const init = method === "get" ? { headers } : { headers, body: "{" };
    const answer = await gateway.request(pathWith(path, "x"), { method: method.toUpperCase(), ...init });
    expectFailure(answer, 401, "unauthenticated");
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="hostledger"');
  });

  it("has the key's limit, before anything but the key", async () => {
    const gateway = await gatewayUnderTest({ requestsPerMinute: 1 });
    await gateway.request("/billing/balance");
    const answer = await gateway.request(pathWith(path, "x"), { method: method.toUpperCase() });
    expectFailure(answer, 429, "rate_limited");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe.each(withIds)("%s", (_name, { method, path }) => {
  it.each(["0", "-1", "+1", "01", "1.0", "1e3", "0x7", "%31%20", "%20", "9223372036854775808", "x", "null"])(
    "has no resource with the id %s",
    async (id) => {
      const gateway = await shared();
      const answer = await gateway.request(pathWith(path, id), { method: method.toUpperCase() });
      // Fixed path segments such as /domains/search belong to other operations and are no ids.
      expectFailure(answer, 404, "not_found");
    },
  );
});

describe.each(withBody)("%s", (_name, { method, path }) => {
  const send = async (
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string>,
  ): Promise<ReadAnswer> => {
    const gateway = await shared();
    return gateway.request(pathWith(path), { method: method.toUpperCase(), headers, body });
  };
  const json = { "content-type": "application/json" };

  it("accepts no other media type than JSON in UTF-8", async () => {
    for (const type of ["text/plain", "application/xml", "application/json; charset=latin1"]) {
      expectFailure(await send("{}", { "content-type": type }), 415, "unsupported_media_type");
    }
    const encoded = await send(gzipSync("{}"), { ...json, "content-encoding": "gzip" });
    expectFailure(encoded, 415, "unsupported_media_type");
  });

  it("accepts no body of more than 64 KiB", async () => {
    expectFailure(await send("{}".padEnd(maximumBodyBytes + 1), json), 413, "payload_too_large");
  });

  it.each(["{", "{'a':1}", "NaN", "{} {}"])("refuses invalid JSON: %s", async (body) => {
    expectFailure(await send(body, json), 400, "malformed_request");
  });

  it.each(["[]", "null", "5"])("refuses JSON that is no object: %s", async (body) => {
    expectFailure(await send(body, json), 422, "validation_failed");
  });
});

describe.each(withKey)("%s", (_name, { method, path }) => {
  it.each(["", "two words", "x".repeat(256)])("refuses an Idempotency-Key such as %j", async (key) => {
    const gateway = await claiming();
    const headers = { authorization: keyOfSeven, "idempotency-key": key };
    const answer = await gateway.request(pathWith(path), { method: method.toUpperCase(), headers });
    expectFailure(answer, 422, "validation_failed");
    expect(answer.json).toMatchObject({ errors: { "Idempotency-Key": [expect.any(String)] } });
  });
});
