import { expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import type { Assignment, BankEntry } from "../bank/bank.state.ts";
import { nextOfBankEntry } from "./bank-credit.work.ts";

const at = "2026-11-29T10:00:00.000000Z";
const entry = (...assignments: readonly Assignment[]): BankEntry => ({
  status: "matched",
  assignments,
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
  expect(nextOfBankEntry({ entry: entry(first), accounts: new Map([[7, fold()]]) })).toEqual({
    do: { type: "credit", accountId: 7, topUpReference: "one", amountCents: 100n },
  });
  expect(nextOfBankEntry({ entry: entry(first), accounts: new Map([[7, fold([credit("one")])]]) })).toBe(
    "done",
  );
});

it("debits the account that had the payment by mistake, before the right account is credited", () => {
  const after = (wrong: ReturnType<typeof fold>, right: ReturnType<typeof fold>) =>
    nextOfBankEntry({
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

it("leaves alone what waits, and what staff reversed by hand", () => {
  const parked: BankEntry = { ...entry(), status: "parked", because: "no-reference" };
  expect(nextOfBankEntry({ entry: parked, accounts: new Map() })).toBe("done");
  expect(nextOfBankEntry({ entry: undefined, accounts: new Map() })).toBe("done");
  const reversed = fold([credit("one"), reverse("one")]);
  expect(nextOfBankEntry({ entry: entry(first), accounts: new Map([[7, reversed]]) })).toBe("done");
});
