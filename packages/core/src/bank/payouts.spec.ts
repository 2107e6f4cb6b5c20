import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { bank } from "./bank.decider.ts";
import type { AddressedPayment, BookEntries } from "./book-entries.ts";
import type { BankEvent } from "./bank.events.ts";
import { statusOfPayout } from "./payout.state.ts";

/** Payouts on the stream of the operator's bank account: each is in one file, is paid once and returned once. */

const spec = deciderSpec(bank);
const at = "2026-11-29T10:00:00.000000Z";
const fromIban = "DE89370400440532013000";

const order = { accountId: 7, endToEndId: "k3x7m2-P1", iban: "NL91ABNA0417164300", name: "Ada" } as const;
const queue = {
  type: "QueuePayout",
  data: { ...order, amountCents: 2_000n, keptUntilYear: 2036, at },
} as const;
const queued: BankEvent = {
  type: "PayoutQueued",
  data: { ...order, amountCents: "2000", keyOwner: 0, keptUntilYear: 2036, queuedAt: at },
};
const file = {
  messageId: "k3x7m2-F1",
  fromIban,
  fromBic: "COBADEFFXXX",
  debtorName: "Hosting GmbH",
  executeOn: "2026-11-29",
} as const;
const makeFile = (messageId: string = file.messageId) =>
  ({ type: "MakePayoutFile", data: { ...file, messageId, at } }) as const;
const made: BankEvent = {
  type: "PayoutFileMade",
  data: { ...file, endToEndIds: [order.endToEndId], amountCents: "2000", madeAt: at },
};

/** Returns the import of one entry. */
function book(key: string, change: Partial<AddressedPayment> = {}, isReversal = false): BookEntries {
  const payment: AddressedPayment = {
    amountCents: -2_000n,
    creditorReference: "",
    remittance: "Payout",
    endToEndId: order.endToEndId,
    counterpartyName: "Ada",
    counterpartyIban: order.iban,
    recipient: { because: "no-reference" },
    ...change,
  };
  const booking = {
    key: key.repeat(64),
    noticeKey: null,
    likeness: null,
    occurrence: 1,
    bankReference: key,
    amountCents: payment.amountCents,
    bookedOn: "2026-11-30",
    valueOn: null,
    isReversal,
    payments: [payment],
  };
  const data = { iban: fromIban, kind: "statement", statementId: "S1", keptUntilYear: 2036, at } as const;
  return { type: "BookEntries", data: { ...data, bookings: [booking] } };
}

const paid = book("a");
const returned = book("b", { amountCents: 2_000n, returnCode: "AC04" });

/** Returns the events after commands, and the state. */
function after(...commands: readonly Parameters<typeof bank.decide>[0][]) {
  let state = [queued, made].reduce(bank.evolve, bank.initialState);
  const types = commands.map((command) => {
    const decision = bank.decide(command, state);
    if (!decision.accepted) throw new Error(decision.rejection.message);
    state = decision.events.reduce(bank.evolve, state);
    return decision.events.map(({ type }) => type);
  });
  const payout = state.payouts.get(order.endToEndId);
  return { types, state, status: payout && statusOfPayout(payout) };
}

describe("a payout", () => {
  it("waits once, and is written to one file", () => {
    spec.given().when(queue).then(queued);
    spec.given(queued).when(queue).thenNothing();
    spec.given(queued).when(makeFile()).then(made);
    spec.given(queued, made).when(makeFile("k3x7m2-F2")).thenNothing();
    spec.given(queued, made).when(queue).thenNothing();
  });

  it("is paid by the entry that names it, once", () => {
    expect(after(paid)).toMatchObject({ types: [["BankEntryBooked", "PayoutPaid"]], status: "paid" });
    expect(after(paid, paid).types[1]).toEqual([]);
    // A second entry is left to staff.
    expect(after(paid, book("c")).types[1]).toEqual(["BankEntryBooked"]);
  });

  it("is returned by the entry that names it, once", () => {
    expect(after(paid, returned)).toMatchObject({
      types: [
        ["BankEntryBooked", "PayoutPaid"],
        ["BankEntryBooked", "PayoutReturned"],
      ],
      status: "returned",
    });
    expect(after(paid, returned, returned).types[2]).toEqual([]);
    const second = book("d", { amountCents: 2_000n, returnCode: "AC04" });
    expect(after(paid, returned, second).types[2]).toEqual(["BankEntryBooked", "EntryParked"]);
    const reversal = book("e", { amountCents: 2_000n }, true);
    expect(after(paid, reversal).types[1]).toEqual(["BankEntryBooked", "PayoutReturned"]);
  });

  it.each([
    ["another amount", { amountCents: -2_001n }, ["BankEntryBooked"]],
    ["another name", { endToEndId: "k3x7m2-P9" }, ["BankEntryBooked"]],
    ["no name", { endToEndId: "" }, ["BankEntryBooked"]],
    ["money that came without being returned", { amountCents: 2_000n }, ["BankEntryBooked", "EntryParked"]],
    [
      "another amount that came back",
      { amountCents: 1_999n, returnCode: "AC04" },
      ["BankEntryBooked", "EntryParked"],
    ],
  ] as const)("is left to staff with %s", (_what, change, types) => {
    expect(after(book("f", change))).toMatchObject({ types: [types], status: "in-file" });
  });

  it("that is returned waits for staff if the account was erased, once, until they decide", () => {
    const park = { type: "ParkReturnedPayout", data: { endToEndId: order.endToEndId, at } } as const;
    const parked = after(paid, returned, park, park);
    expect(parked.types.slice(2)).toEqual([["EntryParked"], []]);
    expect(parked.state.entries.get(2)).toMatchObject({ status: "parked", because: "account-erased" });
    expect(parked.status).toBe("returned");
    const send = { type: "ReturnEntry", data: { entryId: 2, reason: "Sent to the heirs", at } } as const;
    const sent = after(paid, returned, park, send, park);
    expect(sent.types.slice(3)).toEqual([["EntryReturned"], []]);
    expect(sent.state.entries.get(2)?.status).toBe("returned");
  });

  it("that did not come back, or is unknown, is not left to staff", () => {
    for (const endToEndId of [order.endToEndId, "k3x7m2-P9"]) {
      const park = { type: "ParkReturnedPayout", data: { endToEndId, at } } as const;
      expect(bank.decide(park, after(paid).state)).toMatchObject({
        accepted: false,
        rejection: { code: "not-found" },
      });
    }
  });

  it("that waits for a file is not paid by an entry", () => {
    const decision = bank.decide(paid, bank.evolve(bank.initialState, queued));
    expect(decision.accepted && decision.events.map(({ type }) => type)).toEqual(["BankEntryBooked"]);
  });
});

it("an entry that paid or returned a payout cannot be matched to a payment provider", () => {
  const { state } = after(paid, returned, book("g", { endToEndId: "" }));
  const match = (entryId: number) =>
    bank.decide({ type: "MatchEntryToProvider", data: { entryId, provider: "sandbox", at } }, state);
  expect(match(1)).toMatchObject({
    accepted: false,
    rejection: { message: "Entry 1 paid a payout to a customer." },
  });
  expect(match(2)).toMatchObject({ accepted: false });
  expect(match(3)).toMatchObject({ accepted: true });
});
