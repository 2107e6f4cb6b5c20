import { join } from "node:path";

import { transferMethod, type EventOf, type paymentEvents } from "@hostledger/core";
import { codecOfExcerpts } from "@hostledger/core/testing";
import { createProjector, openReadModels } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { randomIds, silentLogger, systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { writeMetadata } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { examples } from "./account-subscription.fixture.ts";
import { accountSubscriptionCodec } from "./account.subscription.ts";
import type { AccountSchema } from "./account.tables.ts";
import { paymentQueries, type PaymentQueries } from "./payment.queries.ts";
import { payments } from "./payments.projection.ts";

let queries: PaymentQueries;
/** Stores a payment, settled on a day of March. */
let settle: (paymentId: number, day: number, method?: string) => Promise<void>;
beforeEach(async () => {
  const directory = directoryOfTest();
  const store = await openTestStore(join(directory, "events.sqlite"), { now: systemClock().now });
  const location = await testLocation(join(directory, "account.sqlite"));
  const database = await openReadModels<AccountSchema>({ location, service: "account" });
  const projector = await createProjector({
    store,
    database,
    codec: accountSubscriptionCodec,
    codecOf: codecOfExcerpts,
    projections: [payments],
    logger: silentLogger(),
  });
  const stopping = new AbortController();
  const running = projector.run(stopping.signal);
  await projector.ready();
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await database.close();
    await store.close();
  });
  queries = paymentQueries(database);
  const metadata = writeMetadata({ correlationId: "c-1", actor: "account:7", commandId: "c-1" }, "spec");
  const { PaymentRequested: requested, PaymentSettled: settled } = examples;
  settle = async (paymentId, day, method = "card") => {
    const settledAt = instant(day);
    const events: readonly EventOf<typeof paymentEvents>[] = [
      { ...requested, data: { ...requested.data, paymentId, method } },
      ...(day === 0 ? [] : [{ ...settled, data: { ...settled.data, paymentId, settledAt } }]),
    ];
    const { position } = await store.append(
      `payment-k3x7m2-${String(paymentId)}`,
      "any",
      events.map((event) => ({
        id: randomIds.uuid(),
        type: accountSubscriptionCodec.storedType(event.type),
        data: JSON.stringify(event.data),
        metadata,
      })),
    );
    await projector.after(position, { limitMs: 30_000 });
  };
});

const instant = (day: number) => `2026-03-${String(day).padStart(2, "0")}T10:00:00.000000Z`;
const ids = async (from: string, before: string, limit = 10, afterId = 0) =>
  (await queries.settledPayments({ from, before, afterId, limit })).map(({ id }) => id);

describe("the settled payments of a span", () => {
  it("are those through a provider, by the time of their settlement", async () => {
    await settle(1, 4);
    await settle(2, 2);
    await settle(3, 0);
    await settle(4, 3, transferMethod);
    await settle(5, 6);
    expect(await ids(instant(1), instant(9))).toEqual([2, 1, 5]);
    expect(await ids(instant(2), instant(6))).toEqual([2, 1]);
    expect(await ids(instant(7), instant(9))).toEqual([]);
  });

  it("come in pages, also if many were settled at the same time", async () => {
    for (const id of [3, 1, 2, 4]) await settle(id, 5);
    await settle(5, 6);
    expect(await ids(instant(1), instant(9), 2)).toEqual([1, 2]);
    expect(await ids(instant(5), instant(9), 2, 2)).toEqual([3, 4]);
    expect(await ids(instant(5), instant(9), 2, 4)).toEqual([5]);
  });
});
