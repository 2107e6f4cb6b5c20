import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, readEventsOf } from "../support/books.ts";
import { startInstance } from "../support/instance.ts";
import {
  courseEnvironment,
  moments,
  runCourse,
  type Course,
  type Moment,
  type Remains,
} from "../support/late-table/late-course.ts";
import {
  expectedEnding,
  expectedMeanwhile,
  place,
  prepareTable,
  rows,
  type PreparedTable,
  type Purchase,
} from "../support/late-table/late-table.ts";
import { settledTable, type SettledTable } from "../support/late-table/settled-table.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { inShort } from "../support/promises.ts";
import { isRegistrarEpp } from "../support/tried-registrar.ts";

/**
 * Every paid process through REST, with every provider behaviour that the sandbox has: in the end the order is
 * charged and held, or refunded and not held. One instance carries all rows at once, each with its own customer; its
 * data is copied at each kill point, and each copy is started. `late-orders-killed` does that with a real process
 * and a signal.
 */

const directory = temporaryDirectory();
let prepared: PreparedTable;
let course: Course;

beforeAll(async () => {
  prepared = await prepareTable(directory.path);
  course = await runCourse(directory.path, prepared, virtualClock(prepared.endedAt));
});

afterAll(() => {
  for (const { remove } of course.remains.values()) remove();
  directory.remove();
});

function purchaseOf(name: string): Purchase {
  const purchase = prepared.purchases.find((one) => one.name === name);
  if (purchase === undefined) throw new Error(`nobody ordered ${name}`);
  return purchase;
}

function remainsOf(moment: Moment): Remains {
  const remains = course.remains.get(moment);
  if (remains === undefined) throw new Error(`nothing was copied ${moment}`);
  return remains;
}

/** Compares the tests' own audit, `audit reconcile`, and the providers' data. */
async function expectAgreement(data: string, settled: SettledTable): Promise<void> {
  const { testimony, reconciled, shown } = settled;
  expect(auditBooks({ events: await readEventsOf(data), ...testimony })).toEqual([]);
  expect(reconciled).toMatchObject({
    code: 0,
    document: { difference_count: 0, charges: { unfinished: 0 } },
  });
  const { registrar, compute } = objectOf(shown.document);
  const namesIn = (list: unknown): readonly unknown[] => itemsOf(list).map(({ name }) => name);
  // No command of ours shows the data of another company's registry.
  const names = isRegistrarEpp ? [] : testimony.holdings.registrar.map(({ name }) => name);
  expect(namesIn(registrar)).toEqual(names);
  expect(namesIn(compute)).toEqual(testimony.holdings.compute.map(({ name }) => name));
}

describe("an order that the provider handles in this way", () => {
  it.each(rows)("$name: answers $expected.answer", ({ name, expected }) => {
    expect(course.answers.get(name)).toBe(expected.answer);
  });

  it.each(rows.filter(({ expected }) => expected.isOpen))(
    "$name: is fenced while its outcome is unknown, and is refunded or stays charged",
    ({ name }) => {
      expect(course.meanwhile.get(name)).toEqual(expectedMeanwhile(purchaseOf(name)));
    },
  );

  it.each(rows)("$name: is charged and delivered, or refunded and not delivered", ({ name }) => {
    expect(course.settled.endings.get(name)).toEqual(expectedEnding(purchaseOf(name)));
  });

  it("books, providers and read models agree after all orders have ended", async () => {
    await expectAgreement(directory.path, course.settled);
  });
});

describe.each(moments)("killed %s, and started again", (moment) => {
  let settled: SettledTable;
  const answers = new Map<string, string>();

  beforeAll(async () => {
    const { data, at } = remainsOf(moment);
    const clock = virtualClock(at);
    const instance = await startInstance({ data, clock, environment: courseEnvironment });
    try {
      settled = await settledTable(instance, clock, prepared.purchases);
      for (const purchase of prepared.purchases)
        answers.set(purchase.name, inShort(await place(instance.baseUrl, purchase)));
    } finally {
      await instance.close();
    }
  });

  it.each(rows)("$name: is charged and delivered, or refunded and not delivered", ({ name }) => {
    const purchase = purchaseOf(name);
    const ending = settled.endings.get(name);
    // An order that may not have been sent is sent again, and asked about late enough to be found.
    const isEitherWay = moment === "with the orders on their way" && purchase.expected.isOpen;
    expect(ending).toEqual(expectedEnding(purchase, isEitherWay ? ending?.isHeld : undefined));
  });

  it.each(rows)(
    "$name: answers a repetition with the first answer, or with the final outcome",
    ({ name }) => {
      const { expectations } = purchaseOf(name).process;
      const isHeld = settled.endings.get(name)?.isHeld === true;
      const outcome = (isHeld ? expectations.plain : expectations.offline)?.answer;
      const before = remainsOf(moment).answers.get(name);
      // An answer that promised nothing need not be repeated.
      const isFirst = before === undefined || before === "504 deadline_exceeded";
      expect(answers.get(name)).toBe(isFirst ? outcome : before);
    },
  );

  it("books, providers and read models agree", async () => {
    await expectAgreement(remainsOf(moment).data, settled);
  });
});
