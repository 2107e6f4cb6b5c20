import { cpSync } from "node:fs";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { beforeAll, describe, it, onTestFinished } from "vitest";

import { bothSides, dieAt } from "../support/dying-money.ts";
import { startInstance } from "../support/instance.ts";
import {
  awaitMoneyOut,
  moneyOutCourses,
  moneyOutEnvironment as environment,
  type KnownCustomer,
  type MoneyOutCourseName,
} from "../support/money-out-courses.ts";
import { openCustomer } from "../support/staff-client.ts";

/**
 * Kill -9 of a process before and after each event of a refund, of a payout, and of an erasure that pays the balance out. The next
 * process, and a repetition of the commands, end as without a death: nothing is debited twice, and nothing is lost.
 */

const courses: readonly (readonly [name: MoneyOutCourseName, types: readonly string[]])[] = [
  ["refund-made", moneyOutCourses["refund-made"].events],
  ["refund-lost", moneyOutCourses["refund-lost"].events],
  ["refund-refused", ["RefundRefused", "PaidOutReturned"]],
  ["payout-returned", [...moneyOutCourses["payout-returned"].events, "StatementImported"]],
  ["settlement", moneyOutCourses.settlement.events],
];

describe.each(courses)("%s, whose process is killed", (name, types) => {
  const course = moneyOutCourses[name];
  const prepared = temporaryDirectory();
  let customer: KnownCustomer;
  beforeAll(async () => {
    const instance = await startInstance({ data: prepared.path, environment });
    const { accountId, apiKey } = await openCustomer(instance.staff, instance.baseUrl);
    customer = { accountId, apiKey };
    await course.begin(instance, customer);
    await instance.close();
    return prepared.remove;
  });

  it.each(bothSides(types))("%s %s, ends as without a death", async (...point) => {
    const { path: data, remove } = temporaryDirectory();
    onTestFinished(remove);
    cpSync(prepared.path, data, { recursive: true });
    await dieAt({ data, apiKey: customer.apiKey, course: name, point, environment });

    const stores: EventStore[] = [];
    const decorate = {
      store(opened: EventStore): EventStore {
        stores.push(opened);
        return opened;
      },
    };
    const again = await startInstance({ data, environment, decorate });
    onTestFinished(() => again.close());
    await course.finish(again, customer);
    await awaitMoneyOut(again, () => stores[0], customer, course);
  });
});
