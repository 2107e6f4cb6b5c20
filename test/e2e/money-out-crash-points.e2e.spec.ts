import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { describe, expect, it } from "vitest";

import { startInstance, type InstanceOptions } from "../support/instance.ts";
import {
  awaitMoneyOut,
  moneyOutCourse,
  moneyOutEnvironment as environment,
  type MoneyOutCourse,
} from "../support/money-out-courses.ts";
import { photographing, type Photo } from "../support/photographing.ts";
import { openCustomer } from "../support/staff-client.ts";

/**
 * A power cut before and after each append of a refund, of a payout, and of an erasure that pays the balance out. The data of each
 * moment is copied, an instance is started on the copy, and staff repeat what they did: the money goes out once, and what did not
 * arrive is credited again once.
 */

const clock = virtualClock();
const open = (options: InstanceOptions) => startInstance({ environment, clock, ...options });
const isPhotographed = (type: string) =>
  /^(?:Refund|BalancePaidOut|PaidOutReturned|Payout|BankEntryBooked|StatementImported|PersonalDataErased)/u.test(
    type,
  );

/** Plays the course, cuts the power at each append, and repeats it on what is left. */
async function play(course: MoneyOutCourse): Promise<void> {
  const { path, remove } = temporaryDirectory();
  const photos: Photo[] = [];
  const prepared = await open({ data: path });
  const customer = await openCustomer(prepared.staff, prepared.baseUrl);
  await course.begin(prepared, customer);
  await prepared.close();
  const run = async (data: string, moment: string, decorate?: (store: EventStore) => EventStore) => {
    let store: EventStore | undefined;
    const instance = await open({
      data,
      decorate: { store: (opened) => (store = decorate?.(opened) ?? opened) },
    });
    try {
      await course.finish(instance, customer);
      await awaitMoneyOut(instance, () => store, customer, course);
    } catch (error) {
      throw new Error(`power cut at: ${moment}`, { cause: error });
    } finally {
      await instance.close();
    }
  };
  await run(path, "no moment", photographing(path, photos, isPhotographed));
  remove();
  expect(photos.length).toBeGreaterThan(5);
  for (const { moment, data, remove: removeCopy } of photos) {
    await run(data, moment);
    removeCopy();
  }
}

describe("wherever the power fails", () => {
  it.each([
    ["a refund is made once", "refund-made"],
    ["a refund whose answer is lost is made once", "refund-lost"],
    ["a refund that is late is made once", "refund-late"],
    ["a refund that is refused is credited again once", "refund-refused"],
    ["a payout is in one file, and paid once", "payout-paid"],
    ["a payout that the bank returns is credited again once", "payout-returned"],
    ["an erasure pays the balance out once", "settlement"],
  ] as const)("%s", async (_what, course) => {
    await play(moneyOutCourse(course));
  });
});
