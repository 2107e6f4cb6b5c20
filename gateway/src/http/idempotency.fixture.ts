import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { rejectionError, requestContextOf, type WithContextValues } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { fakeIdempotencyService, type IdempotencyHandlers } from "../testing/fake-idempotency-service.ts";
import { domainMessage, keyOfSeven } from "../testing/fake-services.ts";
import {
  gatewayUnderTest,
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  type ReadAnswer,
} from "../testing/gateway-under-test.ts";
import type { Rejection } from "./refusal.ts";

/** A registrar that counts effects by operation id, as every service does. */
export function countingDomains() {
  const operations: string[] = [];
  const keys: (string | undefined)[] = [];
  const registered = (context: WithContextValues): domain.RegisterDomainResponse => {
    const { operationId, idempotencyKey } = requestContextOf(context);
    operations.push(operationId);
    keys.push(idempotencyKey);
    return create(domain.RegisterDomainResponseSchema, {
      invoiceId: BigInt(new Set(operations).size),
      amountChargedCents: 1_190n,
      years: 1,
      domain: domainMessage(7n, "a.com"),
    });
  };
  return {
    operations,
    keys,
    registered,
    /** Number of effects; repeating an operation adds none. */
    effects: () => new Set(operations).size,
  };
}

export interface Harness {
  readonly gateway: GatewayUnderTest;
  readonly counted: ReturnType<typeof countingDomains>;
  readonly store: ReturnType<typeof fakeIdempotencyService>;
}

/** Starts a gateway with counting services. `before` runs in the service; `idempotency` replaces calls to the store. */
export async function harness({
  before = () => Promise.resolve(),
  idempotency = {},
  ...options
}: {
  readonly before?: (turn: number) => Promise<void>;
  readonly idempotency?: Partial<IdempotencyHandlers>;
} & Pick<GatewayUnderTestOptions, "requestTimeoutMs"> = {}): Promise<Harness> {
  const counted = countingDomains();
  const store = fakeIdempotencyService();
  let turn = 0;
  const gateway = await gatewayUnderTest({
    ...options,
    idempotency: { ...store.handlers, ...idempotency },
    domain: {
      async registerDomain(_request, context) {
        turn += 1;
        await before(turn);
        return counted.registered(context);
      },
    },
  });
  return { gateway, counted, store };
}

export function register(
  { request }: GatewayUnderTest,
  {
    key = "key",
    body = '{"domain":"a.com"}',
    authorization = keyOfSeven,
  }: { readonly key?: string; readonly body?: string; readonly authorization?: string } = {},
): Promise<ReadAnswer> {
  const headers = { "content-type": "application/json", "idempotency-key": key, authorization };
  return request("/domains", { method: "POST", headers, body });
}

/** A `before` hook that refuses the first request and accepts the others. */
export const refusing = (code: Rejection["code"], detail?: Rejection["detail"]) => (turn: number) =>
  turn === 1
    ? Promise.reject(rejectionError({ code, message: "No.", ...defined({ detail }) }))
    : Promise.resolve();
