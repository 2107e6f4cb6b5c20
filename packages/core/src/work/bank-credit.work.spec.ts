import { describe, expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import type { Assignment, BankEntry, ReceivedTransfers } from "../bank/bank.state.ts";
import { payment } from "../payment/payment.decider.ts";
import {
  paymentFailed,
  paymentRequested,
  paymentReturned,
  paymentSettled,
} from "../payment/payment.fixture.ts";
import type { PaymentEvent } from "../payment/payment.events.ts";
import { nextOfBankEntry, type TransferTopUp, type WorkedBankEntry } from "./bank-credit.work.ts";

const at = "2026-11-29T10:00:00.000000Z";
const entry = (...assignments: readonly Assignment[]): BankEntry => ({
  status: "matched",
  assignments,
  topUps: [],
  entryId: 1,
  iban: "DE89370400440532013000",
  amountCents: 100n,
  bookedOn: "2026-11-28",
  valueOn: null,
  bankReference: "",
  creditorReference: "",
  counterpartyName: "",
  counterpartyIban: "",
  remittance: "",
  statementId: "S1",
});
const next = (worked: Omit<WorkedBankEntry, "topUps">, topUp?: TransferTopUp) =>
  nextOfBankEntry({ ...worked, topUps: topUp === undefined ? [] : [topUp] });
const open: AccountEvent = {
  type: "AccountOpened",
  data: { accountId: 7, name: "Ada", vatExempt: false, openedAt: at },
};
const fold = (commands: readonly Parameters<typeof account.decide>[0][] = []) =>
  commands.reduce(
    (state, command) => {
      const decision = account.decide(command, state);
      if (!decision.accepted) throw new Error(decision.rejection.message);
      return decision.events.reduce(account.evolve, state);
    },
    account.evolve(account.initialState, open),
  );
const credit = (reference: string) =>
  ({ type: "CreditBalance", data: { reference, amountCents: 100n, invoiceId: 1, at } }) as const;
const reverse = (reference: string) =>
  ({
    type: "ReverseTopUp",
    data: { reference, correctionId: 2, reason: "R", debtAllowed: true, at },
  }) as const;
const [first, moved] = [
  { accountId: 7, topUpReference: "one", movedBecause: null },
  { accountId: 7, topUpReference: "one", movedBecause: "Wrong" },
];
const second = { accountId: 8, topUpReference: "two", movedBecause: null };

it("credits the account once", () => {
  expect(next({ entry: entry(first), accounts: new Map([[7, fold()]]) })).toEqual({
    do: { type: "credit", accountId: 7, topUpReference: "one", amountCents: 100n },
  });
  expect(next({ entry: entry(first), accounts: new Map([[7, fold([credit("one")])]]) })).toBe("done");
});

it("debits the account that had the payment by mistake, before the right account is credited", () => {
  const after = (wrong: ReturnType<typeof fold>, right: ReturnType<typeof fold>) =>
    next({
      entry: entry(moved, second),
      accounts: new Map([
        [7, wrong],
        [8, right],
      ]),
    });
  expect(after(fold([credit("one")]), fold())).toEqual({
    do: { type: "reverse", accountId: 7, topUpReference: "one", reason: "Wrong" },
  });
  expect(after(fold([credit("one"), reverse("one")]), fold())).toMatchObject({
    do: { type: "credit", accountId: 8 },
  });
  // The payment was moved before anybody credited it.
  expect(after(fold(), fold())).toMatchObject({ do: { type: "credit", accountId: 8 } });
  expect(after(fold([credit("one"), reverse("one")]), fold([credit("two")]))).toBe("done");
});

it("leaves waiting entries and manual reversals of staff unchanged", () => {
  const parked: BankEntry = { ...entry(), status: "parked", because: "no-reference" };
  expect(next({ entry: parked, accounts: new Map() })).toBe("done");
  expect(next({ entry: undefined, accounts: new Map() })).toBe("done");
  const reversed = fold([credit("one"), reverse("one")]);
  expect(next({ entry: entry(first), accounts: new Map([[7, reversed]]) })).toBe("done");
});

describe("a top-up that the payment names", () => {
  const requested = paymentRequested({ provider: "bank", method: "transfer" });
  const settled = paymentSettled({ amountCents: "100", providerReference: "one" });
  const received = { amountCents: 100n, topUpReference: "one", valueDate: "2026-11-28" };
  const credited = { entry: entry(first), accounts: new Map([[7, fold([credit("one")])]]) };
  const topUp = (events: readonly PaymentEvent[], came?: ReceivedTransfers): TransferTopUp => ({
    key: "x-1",
    payment: [requested, ...events].reduce(payment.evolve, payment.initialState),
    received: came,
  });

  it("records the amount received after the account was credited, also after it had expired", () => {
    const before = { entry: entry(first), accounts: new Map([[7, fold()]]) };
    expect(next(before, topUp([], received))).toMatchObject({ do: { type: "credit" } });
    const settle = { do: { type: "settle", paymentKey: "x-1", received } };
    expect(next(credited, topUp([], received))).toEqual(settle);
    expect(next(credited, topUp([paymentFailed()], received))).toEqual(settle);
    expect(next(credited, topUp([settled], received))).toBe("done");
  });

  it("records another sum when more came, or when some of the money was moved to another account", () => {
    const more = { ...received, amountCents: 250n, topUpReference: "two" };
    expect(next(credited, topUp([settled], more))).toMatchObject({ do: { type: "settle", received: more } });
  });

  it("returns the whole sum that belonged to others, and is settled again when the money comes back", () => {
    expect(next(credited, topUp([settled]))).toEqual({ do: { type: "give-back", paymentKey: "x-1" } });
    expect(next(credited, topUp([settled, paymentReturned()]))).toBe("done");
    expect(next(credited, topUp([]))).toBe("done");
    expect(next(credited, topUp([settled, paymentReturned()], received))).toMatchObject({
      do: { type: "settle" },
    });
  });

  it("that does not exist waits for staff", () => {
    const absent: TransferTopUp = { key: "x-1", payment: payment.initialState, received };
    expect(next(credited, absent)).toEqual({ stopped: "There is no top-up x-1." });
  });
});
