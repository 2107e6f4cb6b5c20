import { openReadModels } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { manualClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { openDeliveries, type DeliverySchema } from "./deliveries.ts";
import { createDeliveryWorker } from "./delivery-worker.ts";
import { targetOf, type Channel, type ReceiverAnswer } from "./receiver.ts";

// A mail server that was gone for hours, with a thousand customers to write to, held up every webhook.
it("sends to a receiver that works, however many others take nothing", async () => {
  const clock = manualClock("2026-03-01T10:00:00Z");
  const location = await testLocation(join(directoryOfTest(), "support.sqlite"));
  const database = await openReadModels<DeliverySchema>({ location, service: "support" });
  onTestFinished(() => database.close());
  const deliveries = await openDeliveries(database);
  let ids = 0;
  const add = (channel: Channel, receivers: readonly number[]) =>
    deliveries.add(
      receivers.map((id) => ({
        target: targetOf(channel, id),
        account_id: id,
        notice_id: "msg_1",
        kind: "invoice.issued",
        resource: `account-${String(id)}`,
        body: "{}",
        created_at: clock.now(),
      })),
      () => Promise.resolve((ids += 1)),
    );
  const stopping = new AbortController();
  const hung = new Promise<ReceiverAnswer>((resolve) => {
    stopping.signal.addEventListener("abort", () => {
      resolve({ status: null, error: "stopped" });
    });
  });
  const tried = new Set<string>();
  const taken: string[] = [];
  const tookNothing = () => Promise.resolve(undefined);
  const worker = createDeliveryWorker({
    clock,
    deliveries,
    queries: { isErased: () => Promise.resolve(false) },
    receivers: {
      mail: {
        send({ target }) {
          if (tried.has(target)) return hung;
          tried.add(target);
          return Promise.resolve({ status: null, error: "could not be handed over" });
        },
        tookNothing,
      },
      webhook: {
        send({ target }) {
          taken.push(target);
          return Promise.resolve({ status: 200, error: null });
        },
        tookNothing,
      },
    },
    logger: { error: expect.fail },
    signal: stopping.signal,
  });
  const customers = Array.from({ length: 1_001 }, (_, index) => index + 1);
  await add("mail", customers);
  while (tried.size < customers.length) {
    await worker.begin();
    await worker.idle();
  }
  clock.advance(60_000);
  await worker.begin();
  await add("webhook", [1]);
  for (let round = 0; round < 3; round += 1) await worker.begin();
  stopping.abort();
  await worker.idle();
  expect(taken).toEqual(["webhook-1"]);
});
