import type { EventStore } from "@hostledger/store";
import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { startInstance, type InstanceOptions } from "../support/instance.ts";
import { finishPayment, moneyEventsIn, type PaymentCourse } from "../support/money-courses.ts";
import { photographing, type Photo } from "../support/photographing.ts";
import { customerAt, openCustomer } from "../support/staff-client.ts";

/**
 * A power cut before and after each append of a payment, and so before and after each call of the payment provider. The data of each
 * moment is copied, and an instance is started on the copy: the payment is made once, however the request is repeated.
 */

const clock = virtualClock();
const environment = { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "300" };
const credited = ["BalanceCredited", "InvoiceIssued"];
const settled = ["PaymentRequested", "PaymentSettled"];
const courses: readonly (PaymentCourse & { readonly name: string })[] = [
  {
    name: "that is paid",
    amount: 50,
    events: [...credited, ...settled],
    state: "settled",
    balance: "50.00",
  },
  {
    name: "whose answer is lost",
    amount: 50.02,
    events: [...credited, ...settled],
    state: "settled",
    balance: "50.02",
  },
  {
    name: "that is declined",
    amount: 50.01,
    events: ["PaymentFailed", "PaymentRequested"],
    state: "failed",
    balance: "0.00",
  },
  {
    name: "that is charged back",
    amount: 50.07,
    events: [...credited, ...settled, "BalanceAdjusted", "PaymentReturned", "ReceiptCancelled"],
    state: "returned",
    balance: "0.00",
  },
];

const isPhotographed = (type: string) => /^(?:Payment|Balance|ReferenceTaken)/u.test(type);
const open = (options: InstanceOptions) => startInstance({ environment, clock, ...options });

describe("wherever the power fails, a payment", () => {
  it.each(courses)("$name is made once", async (course) => {
    const { path, remove } = temporaryDirectory();
    const photos: Photo[] = [];
    const first = await open({
      data: path,
      decorate: { store: photographing(path, photos, isPhotographed) },
    });
    const customer = await openCustomer(first.staff, first.baseUrl);
    await finishPayment(customer, course);
    await first.close();
    remove();
    expect(photos.length).toBeGreaterThan(5);
    for (const photo of photos) {
      let store: EventStore | undefined;
      const again = await open({ data: photo.data, decorate: { store: (opened) => (store = opened) } });
      await finishPayment(customerAt(again.baseUrl, customer), course);
      const events = store === undefined ? [] : await moneyEventsIn(store);
      expect([photo.moment, events]).toEqual([photo.moment, course.events.toSorted()]);
      await again.close();
      photo.remove();
    }
  });
});
