import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { auditBooks, hear, readEventsOf } from "../support/books.ts";
import { hostledger, type Ended } from "../support/command-line.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import {
  expectedEnding,
  lookAtEnding,
  place,
  prepareTable,
  rows,
  type Ending,
  type Purchase,
} from "../support/late-table/late-table.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { inShort } from "../support/promises.ts";
import { settled } from "../support/settled.ts";
import { customerAt } from "../support/staff-client.ts";

/**
 * The late table on a real process that is killed by a signal again and again: after the answers, in the quiet period, and as
 * soon as it asks again. Where in its work a kill finds each row is left to chance; `late-orders` has every moment.
 */

/** Short, so that little is waited for; late orders come within the quiet period. */
const environment = {
  HOSTLEDGER_PROVIDER_TIMEOUT_MS: "1000",
  HOSTLEDGER_SANDBOX_LATE_MS: "1500",
  HOSTLEDGER_SANDBOX_LIMBO_MS: "6000",
  HOSTLEDGER_QUIET_MS: "5000",
};

const directory = temporaryDirectory();
const answers = new Map<string, string>();
const endings = new Map<string, Ending>();
let purchases: readonly Purchase[] = [];
let testimony: Awaited<ReturnType<typeof hear>>;
let reconciled: Ended;
let shown: Ended;

beforeAll(async () => {
  ({ purchases } = await prepareTable(directory.path));
  await during(async ({ baseUrl, kill }) => {
    const placing = purchases.map(async (purchase) => {
      answers.set(purchase.name, inShort(await place(baseUrl, purchase)));
    });
    await Promise.all(placing.filter((_, index) => purchases[index]?.process.standsWhileOpen === false));
    await kill();
    await Promise.all(placing);
  });
  await during(async ({ staff }) => {
    const lateOnes = purchases.filter(({ behaviour }) => behaviour === "late");
    await eventually(realTiming, async () => {
      const holdings = await staff.domains.showSandbox({});
      if (lateOnes.some(({ process, requested }) => process.isHeld(holdings, requested))) return;
      throw new Error("no late order is carried out yet");
    });
  });
  await during(() => Promise.resolve());
  await during(async ({ baseUrl, staff }) => {
    await settled(staff);
    const holdings = await staff.domains.showSandbox({});
    for (const purchase of purchases)
      endings.set(purchase.name, await lookAtEnding(baseUrl, holdings, purchase));
    testimony = await hear(
      staff,
      purchases.map(({ customer }) => customerAt(baseUrl, customer)),
    );
    const ofThis = ["--json", "--data", directory.path];
    reconciled = await hostledger("audit", "reconcile", ...ofThis);
    shown = await hostledger("admin", "sandbox", "show", ...ofThis);
  });
});

afterAll(() => {
  directory.remove();
});

/** A process on the data, which is killed in the end. */
async function during(live: (instance: InstanceProcess) => Promise<void>): Promise<void> {
  const instance = await startInstanceProcess(directory.path, { environment });
  try {
    await live(instance);
  } finally {
    await instance.kill();
  }
}

function purchaseOf(name: string): Purchase {
  const purchase = purchases.find((one) => one.name === name);
  if (purchase === undefined) throw new Error(`nobody ordered ${name}`);
  return purchase;
}

describe("orders given to a process that is killed three times", () => {
  it.each(rows)("$name: is charged and delivered, or refunded and not delivered", ({ name }) => {
    const ending = endings.get(name);
    expect(ending).toEqual(expectedEnding(purchaseOf(name), ending?.isHeld));
  });

  // Renewals wait for the provider, and died with the connection.
  it.each(rows.filter(({ process }) => !process.standsWhileOpen))("$name: ends as answered", (row) => {
    const { name, expected } = row;
    expect(answers.get(name)).toBe(expected.answer);
    expect(endings.get(name)?.isHeld).toBe(expected.isDelivered);
  });

  it("books, providers and read models agree, by the tests' own audit and by the commands", async () => {
    expect(auditBooks({ events: await readEventsOf(directory.path), ...testimony })).toEqual([]);
    expect(reconciled).toMatchObject({ code: 0 });
    expect(JSON.parse(reconciled.stdout)).toMatchObject({ difference_count: 0 });
    const { registrar, compute } = objectOf(JSON.parse(shown.stdout));
    const namesIn = (list: unknown): readonly unknown[] => itemsOf(list).map(({ name }) => name);
    expect(namesIn(registrar)).toEqual(testimony.holdings.registrar.map(({ name }) => name));
    expect(namesIn(compute)).toEqual(testimony.holdings.compute.map(({ name }) => name));
  });
});
