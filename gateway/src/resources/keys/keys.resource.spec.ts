import { account } from "@hostledger/protocol";
import { create } from "@bufbuild/protobuf";
import { apiKeyScopes } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing } from "../../testing/recording.ts";

const createdAt = "2026-11-21T01:30:00.000000Z";

describe("GET /keys", () => {
  it("shows keys without their secrets; an unrestricted key has every scope", async () => {
    const gateway = await gatewayUnderTest({
      account: {
        listApiKeys: () => ({
          keys: [
            { keyId: 3n, prefix: "hlk_7_3_abcdef", createdAt },
            {
              keyId: 5n,
              prefix: "hlk_7_5_abcdef",
              label: "Web server",
              scopes: ["dns:txt"],
              addresses: ["192.0.2.0/24"],
              expiresAt: createdAt,
              createdAt,
              lastUsedOn: "2026-11-21",
            },
          ],
        }),
      },
    });
    expect((await gateway.request("/keys")).json).toEqual([
      {
        id: 3,
        prefix: "hlk_7_3_abcdef",
        label: "",
        scopes: apiKeyScopes,
        expires_at: null,
        addresses: [],
        created_at: createdAt,
        last_used_on: null,
      },
      {
        id: 5,
        prefix: "hlk_7_5_abcdef",
        label: "Web server",
        scopes: ["dns:txt"],
        expires_at: createdAt,
        addresses: ["192.0.2.0/24"],
        created_at: createdAt,
        last_used_on: "2026-11-21",
      },
    ]);
  });
});

describe("POST /keys", () => {
  it("passes on the request, and shows the key with its grant", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      account: {
        createApiKey(request) {
          asked.push(fieldsOf(request));
          const { label, scopes, addresses } = request;
          return {
            key: { keyId: 5n, prefix: "hlk_7_5_abc", label, scopes, addresses, createdAt },
            apiKey: "secret",
          };
        },
      },
    });
    const limits = { label: "Web", scopes: ["read"], addresses: ["::1"], expires_at: "2090-01-01T00:00:00Z" };
    expect(await gateway.post("/keys", limits)).toMatchObject({ status: 201 });
    const answer = await gateway.post("/keys", { expires_at: null });
    expect(answer.json).toEqual({
      id: 5,
      key: "secret",
      label: "",
      scopes: apiKeyScopes,
      expires_at: null,
      addresses: [],
      created_at: createdAt,
    });
    expect(asked).toEqual([
      { label: "Web", scopes: ["read"], addresses: ["::1"], expiresAt: "2090-01-01T00:00:00Z" },
      { label: "", scopes: [], addresses: [] },
    ]);
  });

  it.each([
    ["scopes", { scopes: [] }],
    ["scopes", { scopes: ["root"] }],
    ["scopes", { scopes: ["read", "read"] }],
    ["expires_at", { expires_at: "tomorrow" }],
    ["addresses", { addresses: ["example.com"] }],
    ["addresses", { addresses: Array.from({ length: 21 }, (_, at) => `192.0.2.${String(at)}`) }],
    ["label", { label: "x".repeat(101) }],
  ])("refuses wrong %s with 422: %j", async (field, body) => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.post("/keys", body)).toMatchObject({
      status: 422,
      json: { code: "validation_failed", errors: { [field]: [expect.any(String)] } },
    });
  });

  it.each([
    ["too-many-api-keys", 422],
    ["missing-scope", 403],
    ["unauthorized", 403],
  ] as const)("passes on %s as %i", async (code, status) => {
    const gateway = await gatewayUnderTest({ account: { createApiKey: refusing(code) } });
    expect(await gateway.post("/keys", {})).toMatchObject({ status, json: refusedBody(code) });
  });

  it("under an Idempotency-Key is another request for another API key, so that no key sees another's result", async () => {
    const fingerprints: string[] = [];
    const gateway = await gatewayUnderTest({
      account: {
        resolveApiKey: ({ apiKey }) =>
          create(account.ResolveApiKeyResponseSchema, { accountId: 7n, keyId: BigInt(apiKey) }),
      },
      idempotency: {
        beginRequest({ fingerprint }) {
          fingerprints.push(fingerprint);
          return create(account.BeginRequestResponseSchema, { operationId: "operation-1" });
        },
      },
    });
    const post = (path: string, authorization: string, body: object) =>
      gateway.request(path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", "idempotency-key": "same" },
        body: JSON.stringify(body),
      });
    for (const key of ["1", "2", "1"]) await post("/keys", key, {});
    for (const key of ["1", "2"]) await post("/tickets/7/close", key, {});
    const [first, second, again, ticket, sameTicket] = fingerprints;
    expect(second).not.toBe(first);
    expect(again).toBe(first);
    expect(sameTicket).toBe(ticket);
  });
});

describe("DELETE /keys/{key}", () => {
  it("revokes", async () => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.request("/keys/7", { method: "DELETE" })).toMatchObject({
      status: 200,
      json: { status: true, message: "API key revoked" },
    });
    expect(await gateway.request("/keys/8", { method: "DELETE" })).toMatchObject({ status: 403 });
    expect(await gateway.request("/keys/9", { method: "DELETE" })).toMatchObject({ status: 404 });
  });
});
