import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { expect, it, onTestFinished } from "vitest";

import { property, readEvents } from "../support/books.ts";
import { startInstance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName } from "../support/shop.ts";
import { customerAt, openCustomer, type Customer } from "../support/staff-client.ts";

/** A clock that goes back over New Year: no business date precedes the account's previous one, and numbers have no gap. */

/** Half past midnight in Berlin, where UTC is still in the old year, and a start of the day before. */
const newYear = "2026-12-31T23:30:00.000000Z";
const oldYear = "2026-12-31T20:00:00.000000Z";

it("after a clock that went back over New Year, documents have the new year's date, and the count continues", async () => {
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const shop = await openShop({ data, clock: virtualClock(newYear) });
  await registerName(shop.owner, "after-midnight.com");
  const before = await numbersOf(shop.owner);
  expect(before.map((number) => number.slice(0, 4))).toEqual(["2027", "2027"]);
  await shop.close();

  const stores: EventStore[] = [];
  const decorate = {
    store(store: EventStore): EventStore {
      stores.push(store);
      return store;
    },
  };
  const instance = await startInstance({ data, clock: virtualClock(oldYear), decorate });
  onTestFinished(() => instance.close());
  const owner = customerAt(instance.baseUrl, shop.owner);
  const id = await registerName(owner, "before-midnight.com");
  expect(id).toBeGreaterThan(0);
  const numbers = await numbersOf(owner);
  const ofPurchases = numbers.filter((number) => /^2027-\d+-0*[12]$/u.test(number));
  expect(ofPurchases).toHaveLength(2);

  // A customer without an earlier document is in the old year, in which the clock is.
  const fresh = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
  await registerName(fresh, "fresh.com");
  expect((await numbersOf(fresh)).map((number) => number.slice(0, 4))).toEqual(["2026", "2026"]);

  const [store] = stores;
  if (store === undefined) throw new Error("the instance has opened no store");
  const issued = (await readEvents(store)).filter(({ type }) => type === "InvoiceIssued");
  const datesOf = ({ accountId }: Customer) =>
    issued
      .filter(({ stream }) => stream === `account-${String(accountId)}`)
      .map(({ data: event }) => property(property(event, "terms"), "businessDate"));
  expect(datesOf(owner)).toEqual(["2027-01-01", "2027-01-01", "2027-01-01"]);
  expect(datesOf(fresh)).toEqual(["2026-12-31", "2026-12-31"]);
  const last = objectOf(itemsOf((await owner.get("/billing/invoices")).body).at(-1));
  const xml = String((await owner.get(`/billing/invoices/${String(last.id)}.xml`)).body);
  expect(xml).toContain('format="102">20270101<');
});

async function numbersOf(customer: Customer): Promise<readonly string[]> {
  const documents = itemsOf((await customer.get("/billing/invoices")).body);
  return documents.map((document) => String(objectOf(document).number));
}
