import type { EventStore } from "@hostledger/store";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { startInstance, type InstanceOptions } from "../support/instance.ts";
import { itemsOf } from "../support/matchers.ts";
import { photographing, type Photo } from "../support/photographing.ts";
import { balanceOf } from "../support/shop.ts";
import { customerAt, openCustomer, type Customer } from "../support/staff-client.ts";

/**
 * A power cut before and after each append of a stored method, of an automatic top-up and of its payment. The data of each moment is
 * copied, and an instance is started on the copy: the method is stored once, charged once, and removed once.
 */

const clock = virtualClock();
const environment = { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "300" };
const once = { "Idempotency-Key": "topup" };
const open = (options: InstanceOptions) => startInstance({ environment, clock, ...options });
const isPhotographed = (type: string) => /^(?:Payment|Balance|ReferenceTaken|Method|AutoTopUp)/u.test(type);

async function typesIn(store: EventStore): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    types.push(...events.map(({ type }) => type.replace(/\.v\d+$/u, "")));
    if (caughtUp) break;
  }
  return types
    .filter((type) => /^(?:Payment(?!Opened)|Balance|Receipt|InvoiceIssued|Method|AutoTopUp)/u.test(type))
    .toSorted();
}

async function waitFor(customer: Customer, balances: readonly string[]): Promise<void> {
  await eventually(realTiming, async () => {
    const found = String(await balanceOf(customer));
    if (!balances.includes(found)) throw new Error(`the balance is ${found}`);
  });
}

/** Stores a method, lets it top up automatically, and deletes it. Repeats recognise earlier steps. */
async function finish(customer: Customer, store: () => EventStore): Promise<void> {
  await customer.post("/billing/topups", { amount: 20, method: "card", store_method: true }, once);
  await waitFor(customer, ["20.00", "50.00"]);
  const [stored] = itemsOf((await customer.get("/billing/methods")).body);
  if (stored !== undefined) {
    const terms = { enabled: true, threshold: 25, amount: 30, method: stored.id };
    expect(await customer.put("/billing/auto-topup", terms)).toMatchObject({ status: 200 });
    await waitFor(customer, ["50.00"]);
    const deleted = await customer.delete(`/billing/methods/${String(stored.id)}`);
    expect(deleted).toMatchObject({ status: 200 });
  }
  await eventually(realTiming, async () => {
    const types = await typesIn(store());
    if (!types.includes("MethodRemoved")) throw new Error(`there is ${types.join()}`);
  });
}

it("wherever the power fails, a stored method is charged once and removed once", async () => {
  const { path, remove } = temporaryDirectory();
  const photos: Photo[] = [];
  let store: EventStore | undefined;
  const opened = (): EventStore => {
    if (store === undefined) throw new Error("no store is open");
    return store;
  };
  const photographed = photographing(path, photos, isPhotographed);
  const first = await open({
    data: path,
    decorate: { store: (plain) => (store = photographed(plain)) },
  });
  const customer = await openCustomer(first.staff, first.baseUrl);
  await finish(customer, opened);
  await first.close();
  remove();
  expect(photos.length).toBeGreaterThan(20);
  const payment = ["PaymentRequested", "PaymentSettled", "BalanceCredited", "InvoiceIssued"];
  const wallet = ["MethodStored", "AutoTopUpSet", "AutoTopUpOrdered", "MethodWithdrawn", "MethodRemoved"];
  const wanted = [...payment, ...payment, ...wallet, "AutoTopUpStopped"].toSorted();
  for (const photo of photos) {
    const again = await open({ data: photo.data, decorate: { store: (plain) => (store = plain) } });
    await finish(customerAt(again.baseUrl, customer), opened);
    expect([photo.moment, await typesIn(opened())]).toEqual([photo.moment, wanted]);
    await again.close();
    photo.remove();
  }
});
