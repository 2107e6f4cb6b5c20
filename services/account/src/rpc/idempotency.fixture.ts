import { randomUUID } from "node:crypto";

import { rejection } from "@hostledger/core";
import { writeMetadata } from "@hostledger/store";
import { rejectionError, type Caller, type ClaimOf } from "@hostledger/rpc";

import type { AccountServiceFixture, IdempotencyClient } from "../account-service.fixture.ts";
import { requestIdOf } from "../request-claims.ts";

export const customerOf = (accountId: number): Caller => ({ kind: "account", accountId, keyId: 1 });

export const fingerprint = "ab".repeat(32);

export interface Asked {
  readonly key: string;
  readonly fingerprint: string;
}

/** A process with a client and the claim function of its services. */
export interface Asker {
  readonly client: IdempotencyClient;
  readonly claimOf: ClaimOf;
  readonly accountId: number;
}

export const askerOf = (from: Pick<AccountServiceFixture, "requests" | "claimOf">, accountId = 7): Asker => ({
  client: from.requests(customerOf(accountId)),
  claimOf: from.claimOf,
  accountId,
});

/** Claims a key for an operation like a service before its first effect. @returns the code of a rejection. */
export async function claim(
  { claimOf, accountId }: Asker,
  asked: Asked & { readonly owner: string; readonly operationId: string },
): Promise<string | undefined> {
  const { operationId, ...operation } = asked;
  const request = { requestId: "r", correlationId: "r", operationId, isRepeatable: true };
  const origin = { ...request, actor: `account:${String(accountId)}` };
  return (await claimOf({ accountId, ...operation }, origin).make())?.code;
}

/** Begins a request and claims its key if free; returns the complete answer. */
export async function beginVia(
  asker: Asker,
  owner: string,
  changes: Pick<Asked, "key"> & Partial<Asked>,
): Promise<{ operationId: string; resumed: boolean; outcome: object | undefined }> {
  const asked = { fingerprint, owner, ...changes };
  const answer = await asker.client.beginRequest(asked);
  const { operationId, resumed } = answer;
  if (!resumed && answer.outcome === undefined) {
    const code = await claim(asker, { ...asked, operationId });
    if (code === "request-in-progress" || code === "idempotency-conflict")
      throw rejectionError(rejection(code));
  }
  const { status, body } = answer.outcome ?? {};
  return { operationId, resumed, outcome: status === undefined ? undefined : { status, body } };
}

/** Stores a request's claim unsealed. */
export async function storeBegun(
  { clock, store }: Pick<AccountServiceFixture, "clock" | "store">,
  key: string,
  stored: string,
): Promise<void> {
  const operationId = "an-earlier-one";
  const begunAt = clock.now();
  const data = { accountId: 7, fingerprint: stored, operationId, owner: "one", begunAt };
  const origin = { correlationId: "c", actor: "account:7:1", commandId: `begin/${operationId}` };
  await store.append(`request-${requestIdOf(7, key)}`, "no-stream", [
    {
      id: randomUUID(),
      type: "RequestBegun.v1",
      data: JSON.stringify(data),
      metadata: writeMetadata(origin, "account-service"),
    },
  ]);
}
