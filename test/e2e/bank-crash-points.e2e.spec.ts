import { accountReference } from "@hostledger/core";
import { camtFile } from "@hostledger/providers/testing";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { afterAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { limited } from "../support/limited.ts";
import { copyOfData } from "../support/snapshots.ts";

/**
 * A power cut before the first and after each append of an import, a match and a move of a payment. Each copy of what it leaves is
 * started, staff repeat what they did, and no payment is credited twice or lost.
 */

const environment = { HOSTLEDGER_BANK_IBAN: "DE89370400440532013000" };
const [ada, ben] = [1n, 2n];

const file = new TextEncoder().encode(
  camtFile({
    payments: [
      { amount: "10.00", ref: "1", creditorReference: accountReference(1) },
      { amount: "4.00", ref: "2", creditorReference: accountReference(2) },
      { amount: "2.00", ref: "3", text: "no reference" },
      { amount: "-1.00", ref: "4", text: "Fee" },
    ],
  }),
);

/** What staff do: every step may be repeated. */
async function work({ staff }: Instance): Promise<void> {
  await staff.bank.importStatements({ file });
  await staff.bank.matchBankEntry({ entryId: 3n, accountId: ben });
  await staff.bank.reassignBankEntry({ entryId: 1n, accountId: ben, reason: "It was Ben's" });
}

async function outcomeOf({ staff }: Instance): Promise<object> {
  const balanceOf = async (accountId: bigint) =>
    (await staff.accounts.showAccount({ accountId })).balanceCents;
  const { entries } = await staff.bank.listBankEntries({ page: { afterId: 0n, limit: 100 } });
  const { invoices } = await staff.accounts.listAllInvoices({ accountId: ben });
  return {
    balances: [await balanceOf(ada), await balanceOf(ben)],
    entries: entries.map(({ status, accountId }) => [status, accountId]),
    receiptsOfBen: invoices.length,
  };
}

const expected = {
  balances: [0n, 1_600n],
  entries: [
    ["matched", ben],
    ["matched", ben],
    ["matched", ben],
    ["outgoing", undefined],
  ],
  receiptsOfBen: 3,
};

const photos: { readonly moment: string; readonly data: string; readonly remove: () => void }[] = [];
const { path: data, remove } = temporaryDirectory();

function photographing(store: EventStore): EventStore {
  const take = (moment: string): void => {
    const copy = copyOfData(data);
    photos.push({
      moment,
      data: copy.path,
      remove: () => {
        copy.remove();
      },
    });
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

it("wherever the power fails, each payment is credited once", async () => {
  const first = await startInstance({ data, environment });
  for (const name of ["Ada", "Ben"]) await first.staff.accounts.openAccount({ name });
  await first.close();
  const watched = await startInstance({ data, environment, decorate: { store: photographing } });
  await work(watched);
  await expect.poll(() => outcomeOf(watched)).toEqual(expected);
  await watched.close();
  expect(photos.length).toBeGreaterThan(10);
  const inTurn = limited(3);
  await Promise.all(
    photos.map((photo) =>
      inTurn(async () => {
        const instance = await startInstance({ data: photo.data, environment });
        try {
          await work(instance);
          await expect.poll(() => outcomeOf(instance), { message: photo.moment }).toEqual(expected);
        } finally {
          await instance.close();
        }
      }),
    ),
  );
});
