import { Map as PersistentMap } from "immutable";
import { describe, expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import { at, credited, opened } from "../account/account.fixture.ts";
import { paidOut, paidOutReturned } from "../account/pay-out.fixture.ts";
import type { BankEntry } from "../bank/bank.state.ts";
import type { Payout } from "../bank/payout.state.ts";
import { nextOfPayout } from "./payout.work.ts";

const reference = "k3x7m2-P1";
const debited = [opened(), ...credited(), paidOut()];
const erased: AccountEvent = {
  type: "PersonalDataErased",
  data: { accountId: 7, because: "asked", erasedAt: at },
};

const payout: Payout = {
  accountId: 7,
  endToEndId: reference,
  iban: "NL91ABNA0417164300",
  name: "Ada",
  queuedAt: at,
  amountCents: 2_000n,
  messageId: "k3x7m2-F1",
  paidBy: 1,
  returned: null,
};
const reason = "The bank returned the transfer: the account is closed (AC04).";
const returned = { ...payout, returned: { entryId: 2, returnCode: "AC04" } };

/** Returns what the work does next. @param entry status of the entry that brought the payout back */
function next(
  events: readonly AccountEvent[],
  known?: Payout,
  entry: "parked" | "payout-returned" = "payout-returned",
) {
  const came = {
    entryId: 2,
    iban: "DE89370400440532013000",
    amountCents: 2_000n,
    bookedOn: "2026-12-01",
    valueOn: null,
    bankReference: "",
    creditorReference: "",
    counterpartyName: "",
    counterpartyIban: "",
    remittance: "",
    statementId: "S1",
  };
  const entries: PersistentMap<number, BankEntry> = PersistentMap([
    [
      2,
      entry === "parked"
        ? { ...came, status: entry, because: "account-erased" }
        : { ...came, status: entry, endToEndId: reference },
    ],
  ]);
  const payouts = known === undefined ? PersistentMap<string, Payout>() : PersistentMap([[reference, known]]);
  return nextOfPayout({
    account: events.reduce(account.evolve, account.initialState),
    bank: { payouts, entries },
    reference,
  });
}

describe("a payout", () => {
  it("waits for a file after its debit, also if the account was erased", () => {
    for (const events of [debited, [...debited, erased]])
      expect(next(events)).toMatchObject({ do: { type: "queue", accountId: 7 } });
  });

  it("needs nothing while the bank has it, and without a debit", () => {
    expect(next(debited, payout)).toBe("done");
    expect(next([opened()])).toBe("done");
    expect(next([])).toBe("done");
  });

  it("that the bank returned is credited again, once", () => {
    expect(next(debited, returned)).toEqual({
      do: { type: "give-back", accountId: 7, reference, reason },
    });
    expect(next([...debited, paidOutReturned()], returned)).toBe("done");
  });

  it("that the bank returned waits for staff if the account was erased, once", () => {
    const events = [...debited, erased];
    expect(next(events, returned)).toEqual({
      do: { type: "park", accountId: 7, reference, amountCents: 2_000n, reason },
    });
    expect(next(events, returned, "parked")).toBe("done");
    expect(next([...debited, paidOutReturned(), erased], returned)).toBe("done");
  });
});
