import { manualClock } from "@hostledger/runtime";
import { expect, it } from "vitest";

import type { Delivery } from "./deliveries.ts";
import { createDeliveryWorker } from "./delivery-worker.ts";

const dayMs = 86_400_000;

it("leaves a receiver alone from its failure on, however late that is kept", async () => {
  const clock = manualClock("2026-03-01T10:00:00Z");
  let delivery: Delivery = {
    id: 1,
    target: "webhook-1",
    account_id: 2,
    notice_id: "evt_1",
    kind: "domain.registered",
    resource: "domain-3",
    body: "{}",
    status: "pending",
    attempts: 0,
    next_at: clock.now(),
    tried_since: clock.now(),
    last_at: null,
    answer: null,
    error: null,
    created_at: clock.now(),
  };
  const worker = createDeliveryWorker({
    clock,
    deliveries: {
      dueTargets: (at) => Promise.resolve(delivery.next_at <= at ? [delivery.target] : []),
      due: () => Promise.resolve([delivery]),
      attempted: (_id, { nextAt }) => {
        delivery = { ...delivery, attempts: delivery.attempts + 1, next_at: nextAt ?? delivery.next_at };
        clock.advance(dayMs);
        return Promise.resolve();
      },
      hasTakenSince: () => Promise.resolve(false),
      giveUp: () => Promise.resolve(),
    },
    queries: { isErased: () => Promise.resolve(false) },
    receivers: {
      webhook: {
        send: () => Promise.resolve({ status: 500, error: "500" }),
        tookNothing: () => Promise.resolve(undefined),
      },
    },
    logger: { error: expect.fail },
    signal: new AbortController().signal,
  });
  for (const attempts of [1, 2]) {
    await worker.begin();
    await worker.idle();
    expect(delivery.attempts).toBe(attempts);
  }
});
