import { manualClock, type Clock } from "@hostledger/runtime";
import { expect, it } from "vitest";

import type { Deliveries, Delivery } from "./deliveries.ts";
import { createDeliveryWorker } from "./delivery-worker.ts";
import type { ReceiverAnswer } from "./receiver.ts";

const dayMs = 86_400_000;

function pendingAt(at: string): Delivery {
  return {
    id: 1,
    target: "webhook-1",
    account_id: 2,
    notice_id: "evt_1",
    kind: "domain.registered",
    resource: "domain-3",
    body: "{}",
    status: "pending",
    attempts: 0,
    next_at: at,
    tried_since: at,
    last_at: null,
    answer: null,
    error: null,
    created_at: at,
  };
}

function workerOf(
  clock: Clock,
  deliveries: Pick<Deliveries, "dueTargets" | "due" | "attempted">,
  send: () => Promise<ReceiverAnswer>,
) {
  return createDeliveryWorker({
    clock,
    deliveries: {
      ...deliveries,
      hasTakenSince: () => Promise.resolve(false),
      giveUp: () => Promise.resolve(),
    },
    queries: { isErased: () => Promise.resolve(false) },
    receivers: { webhook: { send, tookNothing: () => Promise.resolve(undefined) } },
    logger: { error: expect.fail },
    signal: new AbortController().signal,
  });
}

it("leaves a receiver alone from its failure on, however late that is kept", async () => {
  const clock = manualClock("2026-03-01T10:00:00Z");
  let delivery = pendingAt(clock.now());
  const worker = workerOf(
    clock,
    {
      dueTargets: (at) => Promise.resolve(delivery.next_at <= at ? [delivery.target] : []),
      due: () => Promise.resolve([delivery]),
      attempted: (_id, { nextAt }) => {
        delivery = { ...delivery, attempts: delivery.attempts + 1, next_at: nextAt ?? delivery.next_at };
        clock.advance(dayMs);
        return Promise.resolve();
      },
    },
    () => Promise.resolve({ status: 500, error: "500" }),
  );
  for (const attempts of [1, 2]) {
    await worker.begin();
    await worker.idle();
    expect(delivery.attempts).toBe(attempts);
  }
});

it("sends once what was taken while a round looked for what is due", async () => {
  const clock = manualClock("2026-03-01T10:00:00Z");
  const delivery = pendingAt(clock.now());
  const taken = Promise.withResolvers<ReceiverAnswer>();
  let sent = 0;
  let idle = (): Promise<void> => Promise.resolve();
  const worker = workerOf(
    clock,
    {
      dueTargets: () => Promise.resolve([delivery.target]),
      // What is read was so when it was asked for: by its answer, it has been taken.
      async due() {
        if (sent > 0) taken.resolve({ status: 200, error: null });
        await idle();
        return [delivery];
      },
      attempted: () => Promise.resolve(),
    },
    () => {
      sent += 1;
      return taken.promise;
    },
  );
  await worker.begin();
  idle = () => worker.idle();
  await worker.begin();
  await worker.idle();
  expect(sent).toBe(1);
});

it("leaves a receiver alone for as long as it asks, and its other deliveries too", async () => {
  const clock = manualClock("2026-03-01T10:00:00Z");
  let delivery = pendingAt(clock.now());
  const worker = workerOf(
    clock,
    {
      dueTargets: () => Promise.resolve([delivery.target]),
      due: () => Promise.resolve([delivery]),
      attempted: (_id, { nextAt }) => {
        delivery = { ...delivery, attempts: delivery.attempts + 1, next_at: nextAt ?? delivery.next_at };
        return Promise.resolve();
      },
    },
    () => Promise.resolve({ status: 429, error: "429", retryAfterMs: 3_600_000 }),
  );
  await worker.begin();
  await worker.idle();
  expect(delivery.next_at).toBe("2026-03-01T11:00:00.000000Z");
  clock.advance(3_599_000);
  await worker.begin();
  await worker.idle();
  expect(delivery.attempts).toBe(1);
  clock.advance(1_000);
  await worker.begin();
  await worker.idle();
  expect(delivery.attempts).toBe(2);
});
