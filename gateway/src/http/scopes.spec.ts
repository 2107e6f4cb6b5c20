import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { apiKeyScopes } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { describeOperations } from "../openapi/document.ts";
import { operations } from "../operations.ts";
import { idsOf, validRequestOf } from "../testing/contract-requests.ts";
import { gatewayUnderTest, type GatewayUnderTest } from "../testing/gateway-under-test.ts";
import { documentedOperations } from "../testing/openapi-document.ts";

/** Tests every operation with every scope against a gateway (docs/reference/scopes.md). */

const described = documentedOperations(describeOperations(operations));

/** Starts a gateway that reads an API key as the list of its scopes. */
const byScopes = (): Promise<GatewayUnderTest> =>
  gatewayUnderTest({
    account: {
      resolveApiKey: ({ apiKey }) =>
        create(account.ResolveApiKeyResponseSchema, {
          accountId: 7n,
          keyId: 107n,
          scopes: apiKey === "all" ? [] : apiKey.split(","),
        }),
    },
  });

async function refusedScope(gateway: GatewayUnderTest, id: string, authorization: string): Promise<unknown> {
  const operation = described.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`${id} is not in the document`);
  const { path, headers, ...init } = validRequestOf(operation, idsOf(7));
  const { status, json } = await gateway.request(path, { ...init, headers: { ...headers, authorization } });
  const body = json as { readonly code?: unknown; readonly scope?: unknown } | undefined;
  expect(body?.code === "missing_scope").toBe(status === 403);
  return status === 403 ? body?.scope : undefined;
}

describe.each(operations)("$method $path", ({ id, method, scopes }) => {
  it("may be called by a key with one of its scopes, and by no other one", async () => {
    const gateway = await byScopes();
    for (const scope of apiKeyScopes) {
      // The scope for all records includes TXT records.
      const isAllowed = scopes.includes(scope) || (scope === "dns" && scopes.includes("dns:txt"));
      const refused = await refusedScope(gateway, id, scope);
      expect(refused, scope).toBe(isAllowed ? undefined : scopes[0]);
    }
    expect(await refusedScope(gateway, id, "all")).toBeUndefined();
    const others = apiKeyScopes.filter((scope) => !scopes.includes(scope));
    expect(await refusedScope(gateway, id, scopes.join(","))).toBeUndefined();
    if (!others.includes("dns")) return;
    expect(await refusedScope(gateway, id, others.join(","))).toBe(
      scopes.includes("dns:txt") ? undefined : scopes[0],
    );
  });

  it("is a read with `read`, unless the answer contains a secret", () => {
    const isRead = method === "get" && id !== "getAuthCode";
    expect(scopes.includes("read")).toBe(isRead);
  });
});

it("names the missing scope to the client, in the sentence, too", async () => {
  const gateway = await byScopes();
  const answer = await gateway.request("/billing/balance", { headers: { authorization: "tickets" } });
  expect(answer).toMatchObject({
    status: 403,
    json: {
      status: false,
      error:
        "The API key lacks the scope billing (read would do, too). Use a key that has the scope named in `scope`.",
      code: "missing_scope",
      scope: "billing",
    },
  });
});
