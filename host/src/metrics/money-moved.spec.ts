import { expect, it } from "vitest";

import { moneyMoved } from "./money-moved.codec.ts";

const event = (type: string, data: object | string) => ({
  type,
  data: typeof data === "string" ? data : JSON.stringify(data),
});

it("reads the balance movements of events, by kind", () => {
  expect(
    moneyMoved([
      event("BalanceCredited.v1", { amountCents: "50000" }),
      event("BalanceCharged.v1", { grossCents: "1190" }),
      event("InvoiceIssued.v2", { grossCents: "1190" }),
      event("RegistrationRefunded.v1", { grossCents: "1190" }),
      event("ChargeRefunded.v1", { grossCents: "5" }),
      event("RefundGranted.v1", { grossCents: "6" }),
      event("BalanceAdjusted.v2", { amountCents: "-7" }),
    ]),
  ).toEqual([
    { kind: "credited", cents: 50_000 },
    { kind: "charged", cents: 1_190 },
    { kind: "refunded", cents: 1_190 },
    { kind: "refunded", cents: 5 },
    { kind: "refunded", cents: 6 },
    { kind: "adjusted", cents: 7 },
  ]);
});

it("leaves out unreadable and foreign events", () => {
  expect(
    moneyMoved([
      event("BalanceCharged.v1", "no JSON"),
      event("BalanceCharged.v1", { grossCents: "many" }),
      event("BalanceCharged.v1", {}),
      event("constructor", { grossCents: "1" }),
    ]),
  ).toEqual([]);
});
