import { temporaryDirectory } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { describe, expect, it, onTestFinished } from "vitest";

import { bothSides, dieAt } from "../support/dying-money.ts";
import { startInstance } from "../support/instance.ts";
import {
  bankEnvironment,
  expectedImport,
  finishPayment,
  importOutcome,
  importPayments,
  moneyEventsIn,
  type PaymentCourse,
} from "../support/money-courses.ts";
import { customerAt, openCustomer } from "../support/staff-client.ts";

/**
 * Kills a process with SIGKILL before and after each event of a payment and of a bank import. The next process and a
 * repeated request reach the undisturbed result: each payment is credited once and taken back once.
 */

/** A payment that the customer's bank takes back half a second after it was made: it passes every step. */
const chargedBack: PaymentCourse = {
  amount: 50.07,
  events: [
    "BalanceAdjusted",
    "BalanceCredited",
    "InvoiceIssued",
    "PaymentRequested",
    "PaymentReturned",
    "PaymentSettled",
    "ReceiptCancelled",
  ],
  state: "returned",
  balance: "0.00",
};
const paymentEnvironment = { HOSTLEDGER_SANDBOX_LATE_MS: "500" };

const paymentEvents = [
  "PaymentRequested",
  "PaymentOpened",
  "PaymentSettled",
  "BalanceCredited",
  "PaymentReturned",
  "BalanceAdjusted",
];
const importEvents = [
  "BankEntryBooked",
  "StatementImported",
  "BalanceCredited",
  "EntryReassigned",
  "BalanceAdjusted",
];
function directory(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

describe("a payment whose process was killed", () => {
  it.each(bothSides(paymentEvents))("%s %s is credited once, and taken back once", async (...point) => {
    const data = directory();
    const environment = paymentEnvironment;
    const first = await startInstance({ data, environment });
    const customer = await openCustomer(first.staff, first.baseUrl);
    await first.close();
    await dieAt({ data, apiKey: customer.apiKey, course: "payment", point, environment });

    let store: EventStore | undefined;
    const decorate = { store: (opened: EventStore) => (store = opened) };
    const again = await startInstance({ data, environment, decorate });
    onTestFinished(() => again.close());
    await finishPayment(customerAt(again.baseUrl, customer), chargedBack);
    // A payment returned before its credit is credited and then taken back.
    const events = () => (store === undefined ? [] : moneyEventsIn(store));
    await expect.poll(events, { timeout: 30_000 }).toEqual(chargedBack.events);
  });
});

describe("a bank import whose process was killed", () => {
  it.each(bothSides(importEvents))("%s %s credits each payment once", async (...point) => {
    const data = directory();
    const environment = bankEnvironment;
    const first = await startInstance({ data, environment });
    for (const name of ["Ada", "Ben"]) await first.staff.accounts.openAccount({ name });
    await first.close();
    await dieAt({ data, course: "import", point, environment });

    const again = await startInstance({ data, environment });
    onTestFinished(() => again.close());
    await importPayments(again);
    await expect.poll(() => importOutcome(again), { timeout: 30_000 }).toEqual(expectedImport);
  });
});
