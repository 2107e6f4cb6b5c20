import { createContextValues } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";

import type { Caller } from "../identity/caller.ts";
import { callerKey, requestContextKey, type RequestContext } from "../interceptors/call-context.ts";
import { countFailure } from "./use-quota.ts";

const customer: Caller = { kind: "account", accountId: 7, keyId: 3 };
const request: RequestContext = {
  requestId: "request-1",
  correlationId: "request-1",
  operationId: "operation-1",
  isRepeatable: false,
  actor: "account-7",
};

async function countedAfter(kind: string, count = () => Promise.resolve()): Promise<number> {
  let counted = 0;
  const quotas = {
    countFailedOrder: () => {
      counted += 1;
      return count();
    },
    refusalOfOrders: () => Promise.resolve(undefined),
  };
  const values = createContextValues().set(callerKey, customer).set(requestContextKey, request);
  await countFailure(quotas, { kind }, { values });
  return counted;
}

describe("an order's failure", () => {
  it.each(["declined", "failed", "abandoned"])("counts in the day's quota: %s", async (kind) => {
    expect(await countedAfter(kind)).toBe(1);
  });

  it.each(["done", "pending", "unsettled"])(
    "is none where the order may have been paid: %s",
    async (kind) => {
      expect(await countedAfter(kind)).toBe(0);
    },
  );

  it("leaves the order's answer as it is when it cannot be counted", async () => {
    await expect(countedAfter("failed", () => Promise.reject(new Error("the disk is full")))).resolves.toBe(
      1,
    );
  });
});
