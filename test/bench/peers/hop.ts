import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { account } from "@hostledger/protocol";
import {
  createOutgoing,
  implement,
  newServiceKey,
  serverInterceptors,
  type NewServiceKey,
} from "@hostledger/rpc";
import { tokensOf } from "@hostledger/rpc/testing";
import { silentLogger, systemClock } from "@hostledger/runtime";
import { z } from "zod";

/** Ports of the service by server: ours, Connect's own, and ours without interceptors. */
export const hopPortsSchema = z.object({
  ours: z.int(),
  oursBare: z.int(),
  http1: z.int(),
  http1Bare: z.int(),
  http2: z.int(),
  http2Bare: z.int(),
  echo1: z.int(),
  echo2: z.int(),
});
export type HopPorts = z.infer<typeof hopPortsSchema>;

/** The caller's key, which the service in a process of its own inherits from the one that starts it. */
const key = (process.env.BENCH_HOP_KEY ??= JSON.stringify(newServiceKey("gateway")));
const tokens = tokensOf("gateway", systemClock(), JSON.parse(key) as NewServiceKey);

/** Interceptors of every service of ours. */
export const hopInterceptors = serverInterceptors({ tokens, logger: silentLogger() });

/** A service with empty handlers, so that only the call is measured. */
export const hopService = implement(account.IdempotencyService, {
  beginRequest: () => ({ operationId: "operation-1" }),
  completeRequest: () => ({}),
  releaseRequest: () => ({}),
});

const outgoing = createOutgoing(tokens);
const request = { key: "key-1", fingerprint: "0".repeat(64), owner: "gateway-1" };

/** Calls it once, as a gateway does on behalf of a customer. */
export function hopOver(transport: Transport): () => Promise<unknown> {
  const client: Client<typeof account.IdempotencyService> = createClient(
    account.IdempotencyService,
    transport,
  );
  return () =>
    client.beginRequest(request, {
      timeoutMs: 30_000,
      headers: outgoing({ caller: { kind: "account", accountId: 1, keyId: 1 }, requestId: "request-1" }),
    });
}
