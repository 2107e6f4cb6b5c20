import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, readFactsOf } from "../support/books.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import {
  expectedEnding,
  expectedMeanwhile,
  lookMeanwhile,
  place,
  prepareTable,
  rows,
  type Meanwhile,
  type Purchase,
} from "../support/late-table/late-table.ts";
import { settledTable, type SettledTable } from "../support/late-table/settled-table.ts";
import { inShort } from "../support/promises.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/**
 * Every process that costs money, at a provider that treats its order in every way that the sandbox knows, with all
 * defaults: in the end it is charged and held, or refunded and nothing is held. One instance carries all rows at once, each
 * with a customer of its own. `late-orders-killed` does the same with instances that die in between.
 */

const directory = temporaryDirectory();
const purchases = new Map<string, Purchase>();
const answers = new Map<string, string>();
const meanwhile = new Map<string, Meanwhile>();
let settled: SettledTable;

beforeAll(async () => {
  const prepared = await prepareTable(directory.path);
  const clock = virtualClock(prepared.endedAt);
  const instance = await startInstance({ data: directory.path, clock });
  try {
    await placeAll(instance, prepared.purchases);
    settled = await settledTable(instance, clock, prepared.purchases);
  } finally {
    await instance.close();
  }
});

afterAll(() => {
  directory.remove();
});

async function placeAll({ baseUrl }: Instance, all: readonly Purchase[]): Promise<void> {
  const placing = all.map(async (purchase) => {
    purchases.set(purchase.name, purchase);
    answers.set(purchase.name, inShort(await place(baseUrl, purchase)));
  });
  // Where the charge stands, the answer waits for the provider; all others have their money back by now.
  await Promise.all(placing.filter((_, index) => all[index]?.process.standsWhileOpen === false));
  for (const purchase of all)
    if (purchase.expected.isOpen) meanwhile.set(purchase.name, await lookMeanwhile(baseUrl, purchase));
  await Promise.all(placing);
}

function purchaseOf(name: string): Purchase {
  const purchase = purchases.get(name);
  if (purchase === undefined) throw new Error(`nobody ordered ${name}`);
  return purchase;
}

describe("an order that the provider treats so", () => {
  it.each(rows)("$name: answers $expected.answer", ({ name, expected }) => {
    expect(answers.get(name)).toBe(expected.answer);
  });

  it.each(rows.filter(({ expected }) => expected.isOpen))(
    "$name: is fenced while nobody knows, and has its money or its charge",
    ({ name }) => {
      expect(meanwhile.get(name)).toEqual(expectedMeanwhile(purchaseOf(name)));
    },
  );

  it.each(rows)("$name: is charged and held, or refunded and nothing is held", ({ name }) => {
    expect(settled.endings.get(name)).toEqual(expectedEnding(purchaseOf(name)));
  });
});

describe("when everything has settled", () => {
  it("books, providers and read models agree", async () => {
    expect(auditBooks({ facts: await readFactsOf(directory.path), ...settled.testimony })).toEqual([]);
  });

  it("`audit reconcile` finds nothing different, and nothing unfinished", () => {
    expect(settled.reconciled).toMatchObject({
      code: 0,
      document: { difference_count: 0, charges: { unfinished: 0 } },
    });
  });
});
