import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { readProviderList } from "./provider-list.codec.ts";
import { listMovements } from "./provider-list-of-movements.ts";

type Movement = Parameters<typeof listMovements>[0][number];

const at = "2026-03-01T10:00:00.000000Z";
const movement = (change: Partial<Movement> = {}): Movement => ({
  kind: "settlement",
  orderId: "payment-k3x7m2-1",
  refundId: "",
  providerReference: "ch_1",
  amountCents: 5_000n,
  feeCents: 100n,
  currency: "EUR",
  at,
  isForeign: false,
  ...change,
});
const briefly = (...movements: readonly Movement[]) =>
  listMovements(movements).movements.map((one) => `${one.kind} ${one.amount}`);

const refund = {
  kind: "refund",
  refundId: "payment-k3x7m2-1-refund-1",
  providerReference: "re_1",
  feeCents: 0n,
};
const payout = { kind: "payout", orderId: "", providerReference: "po_1", feeCents: 0n };

it("the list has what audit reconcile reads", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const { movements } = listMovements([
    movement(),
    movement({ ...refund, amountCents: -2_000n }),
    movement({ ...refund, amountCents: 2_000n }),
    movement({ kind: "return", orderId: "", amountCents: -5_000n, feeCents: 2_000n }),
    movement({ ...payout, amountCents: -4_000n }),
  ]);
  const file = join(path, "list.json");
  writeFileSync(file, JSON.stringify({ name: "stripe", from: at, to: at, movements }));
  const read = await readProviderList(file);
  expect(read.movements.map((one) => [one.kind, one.orderId, one.refundId, one.amountCents])).toEqual([
    ["settlement", "payment-k3x7m2-1", undefined, 5_000n],
    ["refund", "payment-k3x7m2-1", "payment-k3x7m2-1-refund-1", 2_000n],
    ["refund-return", "payment-k3x7m2-1", "payment-k3x7m2-1-refund-1", 2_000n],
    ["return", "", undefined, 5_000n],
    ["payout", "", undefined, 4_000n],
  ]);
});

it("a refund that nobody ordered is a return, as in the books", () => {
  expect(briefly(movement({ ...refund, refundId: "", amountCents: -5_000n }))).toEqual(["return 50.00"]);
});

it("what was taken back and came again is left out", () => {
  const taken = movement({ kind: "return", amountCents: -5_000n });
  const won = movement({ kind: "return", amountCents: 5_000n });
  expect(briefly(taken, won)).toEqual([]);
  expect(briefly(taken, movement({ ...payout, amountCents: -900n }))).toEqual([
    "return 50.00",
    "payout 9.00",
  ]);
  const failed = [-900n, 900n].map((amountCents) => movement({ ...payout, amountCents }));
  expect(briefly(...failed)).toEqual([]);
});

it("movements of other installations, fees and other currencies are counted and left out", () => {
  const { foreign, others, currencies, movements } = listMovements([
    movement({ isForeign: true }),
    movement({ kind: "fee", amountCents: -100n }),
    movement({ kind: "other" }),
    movement({ currency: "USD" }),
    movement(),
  ]);
  expect([foreign, others, currencies, movements.length]).toEqual([1, 2, 1, 1]);
});
