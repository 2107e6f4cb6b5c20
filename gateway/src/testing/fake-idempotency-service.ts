import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { account } from "@hostledger/protocol";
import { rejectionError, requireAccount } from "@hostledger/rpc";

export type IdempotencyHandlers = ServiceImpl<typeof account.IdempotencyService>;

interface KeyedRecord {
  readonly fingerprint: string;
  readonly operationId: string;
  outcome?: { readonly status: number; readonly body: string };
}

/** Stores idempotency keys in memory beyond the life of a test's gateways, like the real service. */
export function fakeIdempotencyService(): {
  readonly handlers: IdempotencyHandlers;
  readonly records: Map<string, KeyedRecord>;
} {
  const records = new Map<string, KeyedRecord>();
  let operations = 0;
  const claimed = (name: string, operationId: string): KeyedRecord => {
    const record = records.get(name);
    if (record?.operationId === operationId) return record;
    throw rejectionError({ code: "not-found", message: "No such request is running." });
  };
  const handlers: IdempotencyHandlers = {
    beginRequest({ key, fingerprint }, context) {
      const name = `${String(requireAccount(context).accountId)} ${key}`;
      const known = records.get(name);
      if (known === undefined) {
        operations += 1;
        const operationId = `operation-${String(operations)}`;
        records.set(name, { fingerprint, operationId });
        return create(account.BeginRequestResponseSchema, { operationId });
      }
      if (known.fingerprint !== fingerprint) {
        throw rejectionError({
          code: "idempotency-conflict",
          message: "The Idempotency-Key was used with another request.",
        });
      }
      const { operationId, outcome } = known;
      return create(
        account.BeginRequestResponseSchema,
        outcome === undefined ? { operationId, resumed: true } : { operationId, outcome },
      );
    },
    completeRequest({ key, operationId, outcome }, context) {
      const record = claimed(`${String(requireAccount(context).accountId)} ${key}`, operationId);
      if (outcome === undefined) throw new Error("the gateway always names the outcome");
      record.outcome ??= { status: outcome.status, body: outcome.body };
      return create(account.CompleteRequestResponseSchema);
    },
    releaseRequest({ key, operationId }, context) {
      const name = `${String(requireAccount(context).accountId)} ${key}`;
      claimed(name, operationId);
      records.delete(name);
      return create(account.ReleaseRequestResponseSchema);
    },
  };
  return { handlers, records };
}
