import { describe, expect, it } from "vitest";

import { totalsOf, totalsOfGross } from "../pricing/totals.ts";
import {
  at,
  charge,
  charged,
  credit,
  credited,
  frozen,
  invoiceData,
  opened,
  refund,
  refunded,
} from "./account.fixture.ts";
import {
  serverCharge,
  serverCharged,
  serverInvoiceData,
  serverRefund,
  serverRefunded,
} from "./server-charges.fixture.ts";
import { account } from "./account.decider.ts";
import type { OpenAccountState } from "./account.state.ts";
import { accountOfDocument, documentNumber } from "./document-number.ts";
import { correctionOf, invoiceOf, receiptOf } from "./documents.ts";

function accountAfter(...events: Parameters<typeof account.evolve>[1][]): OpenAccountState {
  const state = events.reduce(account.evolve, account.initialState);
  if (state.status !== "open") throw new Error("the example's account is not open");
  return state;
}

const { tax } = frozen().terms ?? {};
if (tax === undefined || tax === null) throw new Error("the example's invoice is not taxed");
const decided = { businessDate: "2026-03-01", tax };

describe("an invoice", () => {
  it("stores the lines, their prices, the VAT rate and the sums", () => {
    const lines = [
      { description: "a", quantity: 3, unitNetCents: 333n },
      { description: "b", quantity: 1, unitNetCents: 1n },
    ];
    const { data } = charge({ lines });
    expect(
      invoiceOf(data, { totals: totalsOf(lines, 1_900n), ...decided }, accountAfter(opened())).data,
    ).toEqual({
      ...invoiceData,
      lines: [
        { description: "a", quantity: 3, unitCents: "333", amountCents: "999" },
        { description: "b", quantity: 1, unitCents: "1", amountCents: "1" },
      ],
    });
  });
});

describe("an invoice of gross prices", () => {
  it("names its gross prices and its purpose", () => {
    const { data } = serverCharge();
    const totals = totalsOfGross(data.lines, 1_900n);
    expect(invoiceOf(data, { totals, ...decided }, accountAfter(opened())).data).toEqual(serverInvoiceData);
  });
});

describe("a receipt", () => {
  it("shows no VAT, because the payment's use is not known yet", () => {
    expect(receiptOf(credit().data, accountAfter(opened()))).toEqual(credited()[1]);
  });
});

describe("a correction", () => {
  it("names the invoice and negates its sums", () => {
    const state = accountAfter(opened(), ...credited(), ...charged());
    const standing = state.charges.get("registration-1");
    if (standing === undefined) throw new Error("the example's charge is not there");
    expect(correctionOf(refund().data, standing, standing, state)).toEqual(refunded()[1]);
  });

  it("has the invoice's purpose", () => {
    const state = accountAfter(opened(), ...credited(), ...serverCharged());
    const standing = state.charges.get("serverrenewal-1");
    if (standing === undefined) throw new Error("the example's charge is not there");
    expect(correctionOf(serverRefund().data, standing, standing, state)).toEqual(serverRefunded()[1]);
  });
});

describe("a document's number", () => {
  it.each([
    ["invoice", 42, "2026-7-000042"],
    ["receipt", 42, "2026-7-T000042"],
    ["correction", 42, "2026-7-C000042"],
    ["invoice", 1_000_000, "2026-7-1000000"],
  ] as const)("%s %s is %s", (series, count, number) => {
    expect(documentNumber(series, 7, count, at)).toBe(number);
  });
});

it.each([
  ["2026-7-000042", 7],
  ["2026-12-T000003", 12],
  ["2026-12-C1234567", 12],
  ["2026-7-R1-000001", 7],
  ["2026-7-R12-T000003", 7],
  ["2026-7-R1-C000003", 7],
  ["2026-7-R0-000001", undefined],
  ["2026-07-000042", undefined],
  ["2026-7-42", undefined],
  ["42", undefined],
  ["", undefined],
])("the number %s belongs to the account %s", (number, accountId) => {
  expect(accountOfDocument(number)).toBe(accountId);
});
