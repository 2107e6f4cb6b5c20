import { domain } from "@hostledger/protocol";
import { callHeaders, createOutgoing } from "@hostledger/rpc";
import { openTokens, tokensOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { createCallerOf } from "./caller.ts";
import type { Caller, OperationServices } from "./operation.ts";

function headersNow({ call }: Caller): Headers {
  const headers: unknown = Reflect.get(call, "headers");
  if (headers instanceof Headers) return headers;
  throw new Error("a call has headers");
}

const noServices = {} as OperationServices;
const context = { requestId: "request", headers: ["RateLimit", "1"] };
const account = { kind: "account", accountId: 7, keyId: 3 } as const;
const customer = { ...account, scopes: null };

it("makes the headers of each call again, because the pages of a long list outlive a token", async () => {
  let nowMs = 0;
  const tokens = tokensOf("gateway", { epochMilliseconds: () => nowMs });
  const caller = createCallerOf(createOutgoing(tokens), 5_000, noServices)(customer, context);
  const tokenNow = (): string => headersNow(caller).get(callHeaders.caller) ?? "";
  const first = tokenNow();
  const { listDomains } = domain.DomainService.method;
  expect(await tokens.identify(first, listDomains)).toEqual(account);
  nowMs = 3_600_000;
  await expect(tokens.identify(first, listDomains)).rejects.toThrow("expired");
  expect(await tokens.identify(tokenNow(), listDomains)).toEqual(account);
});

it("names the operation of a request with an Idempotency-Key, its key, and its claim", () => {
  const tokens = openTokens();
  const callerOf = createCallerOf(createOutgoing(tokens), 5_000, noServices);
  const keyed = callerOf(customer, context, {
    operationId: "operation",
    idempotencyKey: "key",
    fingerprint: "ab".repeat(32),
    owner: "gateway-1",
    isResumed: false,
  });
  const headers = headersNow(keyed);
  expect(keyed).toMatchObject({ accountId: 7n, call: { timeoutMs: 5_000 } });
  expect(headers.get(callHeaders.operationId)).toBe("operation");
  expect(headers.get(callHeaders.idempotencyKey)).toBe("key");
  expect(headers.get(callHeaders.fingerprint)).toBe("ab".repeat(32));
  expect(headers.get(callHeaders.owner)).toBe("gateway-1");
  expect(headersNow(callerOf(customer, context)).has(callHeaders.operationId)).toBe(false);
});

it("adds a service's staleness notice to the answer, once", () => {
  const tokens = openTokens();
  const answered = { ...context };
  const { call } = createCallerOf(createOutgoing(tokens), 5_000, noServices)(customer, answered);
  call.onHeader?.(new Headers());
  expect(answered.headers).toEqual(["RateLimit", "1"]);
  for (let count = 0; count < 2; count += 1)
    call.onHeader?.(new Headers({ [callHeaders.staleReads]: "domain.domains" }));
  expect(answered.headers).toEqual(["RateLimit", "1", "Hostledger-Stale", "domain.domains"]);
});
