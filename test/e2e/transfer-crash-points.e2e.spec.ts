import { topUpTransferReference } from "@hostledger/core";
import { camtFile } from "@hostledger/providers/testing";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { afterAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { limited } from "../support/limited.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { copyOfData } from "../support/snapshots.ts";
import { customerAt, openCustomer, type Customer } from "../support/staff-client.ts";

/**
 * A power cut before the first and after each append of a top-up by bank transfer: its request, two imports that pay
 * it in parts, and the move of one part to another customer. Each copy of the data is started, and all steps are
 * repeated.
 */

const environment = { HOSTLEDGER_BANK_IBAN: "DE89370400440532013000", HOSTLEDGER_PAYMENTS: "none" };
const [ada, ben] = [1n, 2n];
const once = { "Idempotency-Key": "transfer" };

/** Steps of the customer and staff; each may be repeated. */
async function work({ staff, baseUrl }: Instance, of: Customer): Promise<void> {
  const customer = customerAt(baseUrl, of);
  const asked = { amount: 50, method: "transfer" };
  const { status, body } = await customer.post("/billing/topups", asked, once);
  expect(status).toBe(201);
  const creditorReference = topUpTransferReference(Number(ada), Number(objectOf(objectOf(body).topup).id));
  for (const [ref, amount] of [
    ["1", "30.00"],
    ["2", "20.00"],
  ] as const) {
    const given = { id: `S-${ref}`, payments: [{ ref, amount, creditorReference }] };
    await staff.bank.importStatements({ file: new TextEncoder().encode(camtFile(given)) });
  }
  await staff.bank.reassignBankEntry({ entryId: 2n, accountId: ben, reason: "It was Ben's" });
}

async function outcomeOf({ staff, baseUrl }: Instance, of: Customer): Promise<object> {
  const balanceOf = async (accountId: bigint) =>
    (await staff.accounts.showAccount({ accountId })).balanceCents;
  const { entries } = await staff.bank.listBankEntries({ page: { afterId: 0n, limit: 100 } });
  const topups = itemsOf((await customerAt(baseUrl, of).get("/billing/topups")).body);
  return {
    balances: [await balanceOf(ada), await balanceOf(ben)],
    owners: entries.map(({ accountId }) => accountId),
    topups: topups.map(({ state, paid }) => [state, paid]),
  };
}

const expected = { balances: [3_000n, 2_000n], owners: [ada, ben], topups: [["settled", 30]] };

const photos: { readonly moment: string; readonly data: string; readonly remove: () => void }[] = [];
const { path: data, remove } = temporaryDirectory();

function photographing(store: EventStore): EventStore {
  const take = (moment: string): void => {
    const { path, remove: removeCopy } = copyOfData(data);
    photos.push({ moment, data: path, remove: removeCopy });
  };
  return {
    ...store,
    append: async (stream, revision, events) => {
      if (photos.length === 0) take("before the first append");
      const result = await store.append(stream, revision, events);
      take(`after ${events.map(({ type }) => type).join(", ")} in ${stream}`);
      return result;
    },
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

afterAll(() => {
  for (const photo of photos) photo.remove();
  remove();
});

it("after a power cut at any point, the top-up shows the amount received, and each payment is credited once", async () => {
  const first = await startInstance({ data, environment });
  const customer = await openCustomer(first.staff, first.baseUrl);
  await first.staff.accounts.openAccount({ name: "Ben" });
  await first.close();
  const watched = await startInstance({ data, environment, decorate: { store: photographing } });
  await work(watched, customer);
  await expect.poll(() => outcomeOf(watched, customer)).toEqual(expected);
  await watched.close();
  expect(photos.length).toBeGreaterThan(15);
  const inTurn = limited(3);
  await Promise.all(
    photos.map((photo) =>
      inTurn(async () => {
        const instance = await startInstance({ data: photo.data, environment });
        try {
          await work(instance, customer);
          await expect.poll(() => outcomeOf(instance, customer), { message: photo.moment }).toEqual(expected);
        } finally {
          await instance.close();
        }
      }),
    ),
  );
});
