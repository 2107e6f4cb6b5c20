import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { bank, mostAssignments } from "./bank.decider.ts";
import type { AddressedPayment, BookEntries, KeyedBooking } from "./book-entries.ts";
import { entryOfTopUp, topUpReferenceOf } from "./top-up-reference.ts";
import type { BankEvent } from "./bank.events.ts";
import { proposedAccounts, receivedTransfers } from "./bank.state.ts";

const spec = deciderSpec(bank);
const iban = "DE89370400440532013000";
const at = "2026-11-29T10:00:00.000000Z";

const payment = (change: Partial<AddressedPayment> = {}): AddressedPayment => ({
  amountCents: 1_190n,
  creditorReference: "",
  remittance: "Top-up",
  endToEndId: "",
  counterpartyName: "Ada",
  counterpartyIban: "NL91ABNA0417164300",
  recipient: { accountId: 7, topUps: [] },
  ...change,
});
const booking = (change: Partial<KeyedBooking> = {}): KeyedBooking => ({
  key: "a".repeat(64),
  noticeKey: null,
  likeness: null,
  occurrence: 1,
  bankReference: "B1",
  amountCents: 1_190n,
  bookedOn: "2026-11-28",
  valueOn: null,
  isReversal: false,
  payments: [payment()],
  ...change,
});
const book = (
  bookings: readonly KeyedBooking[],
  kind: "statement" | "notice" = "statement",
): BookEntries => ({
  type: "BookEntries",
  data: { iban, kind, statementId: "S1", bookings, keptUntilYear: 2036, at },
});
const booked = (entryId = 1, change: object = {}): BankEvent => {
  const { recipient: _, amountCents, ...texts } = payment();
  return {
    type: "BankEntryBooked",
    data: {
      entryId,
      iban,
      statementId: "S1",
      bookingKey: "a".repeat(64),
      likeness: null,
      part: 1,
      amountCents: String(amountCents),
      bookedOn: "2026-11-28",
      valueOn: null,
      bankReference: "B1",
      isReversal: false,
      ...texts,
      keyOwner: 0,
      keptUntilYear: 2036,
      recordedAt: at,
      ...change,
    },
  };
};
const matched = (
  entryId = 1,
  accountId = 7,
  by: "reference" | "staff" = "reference",
  paymentKey: string | null = null,
): BankEvent => ({
  type: "EntryMatched",
  data: {
    entryId,
    accountId,
    amountCents: "1190",
    topUpReference: `bank ${iban}/${String(entryId)}`,
    by,
    matchedAt: at,
    topUps: paymentKey === null ? [] : [{ paymentKey, amountCents: "1190" }],
  },
});
const parked: BankEvent = {
  type: "EntryParked",
  data: { entryId: 1, because: "no-reference", parkedAt: at },
};
const reassigned = (fromAccountId: number, toAccountId: number, time: number): BankEvent => ({
  type: "EntryReassigned",
  data: {
    entryId: 1,
    fromAccountId,
    toAccountId,
    amountCents: "1190",
    topUpReference: topUpReferenceOf(iban, 1, time),
    reason: "Wrong",
    reassignedAt: at,
  },
});
const reassign = (accountId: number) =>
  ({ type: "ReassignEntry", data: { entryId: 1, accountId, reason: "Wrong", at } }) as const;

describe("a booking", () => {
  it("is booked once, and belongs to the account that it names", () => {
    spec
      .given()
      .when(book([booking()]))
      .then(booked(), matched());
    spec
      .given(booked(), matched())
      .when(book([booking()]))
      .thenNothing();
    spec
      .given(booked(), matched())
      .when(book([booking()], "notice"))
      .thenNothing();
  });

  it("waits if its account is unknown; outgoing money does not", () => {
    const unknown = payment({ recipient: { because: "no-reference" } });
    spec
      .given()
      .when(book([booking({ payments: [unknown] })]))
      .then(booked(), parked);
    const outgoing = booking({ payments: [payment({ amountCents: -100n })] });
    spec
      .given()
      .when(book([outgoing]))
      .then(booked(1, { amountCents: "-100" }));
  });

  it("of several payments is one entry for each", () => {
    spec
      .given()
      .when(book([booking({ payments: [payment(), payment()] })]))
      .then(booked(), matched(), booked(2, { part: 2 }), matched(2));
  });

  it("without a reference of the bank is booked once, whichever file comes first", () => {
    const [key, noticeKey, likeness] = ["b".repeat(64), "c".repeat(64), "d".repeat(64)];
    const inStatement = booking({ key, noticeKey, likeness });
    const inNotice = booking({ key: noticeKey, likeness });
    const bookedAs = (bookingKey: string) => booked(1, { bookingKey, likeness });
    spec
      .given(bookedAs(noticeKey), matched())
      .when(book([inStatement]))
      .thenNothing();
    spec
      .given(bookedAs(key), matched())
      .when(book([inNotice], "notice"))
      .thenNothing();
    const second = booking({ key: "e".repeat(64), likeness, occurrence: 2 });
    spec
      .given(bookedAs(key), matched())
      .when(book([second], "notice"))
      .then(booked(2, { bookingKey: "e".repeat(64), likeness }), matched(2));
  });
});

it("a statement is recorded once", () => {
  const data = {
    iban,
    kind: "statement",
    statementId: "S1",
    contentSha256: "f".repeat(64),
    entries: 1,
  } as const;
  const imported: BankEvent = {
    type: "StatementImported",
    data: { ...data, openingCents: "0", closingCents: null, importedAt: at },
  };
  const finish = {
    type: "FinishStatement",
    data: { ...data, openingCents: 0n, closingCents: null, at },
  } as const;
  spec.given().when(finish).then(imported);
  spec.given(imported).when(finish).thenNothing();
});

describe("staff", () => {
  const match = (accountId: number) => ({ type: "MatchEntry", data: { entryId: 1, accountId, at } }) as const;
  const giveBack = { type: "ReturnEntry", data: { entryId: 1, reason: "Unknown", at } } as const;
  const returned: BankEvent = {
    type: "EntryReturned",
    data: { entryId: 1, reason: "Unknown", returnedAt: at },
  };

  it("match a waiting payment once", () => {
    spec
      .given(booked(), parked)
      .when(match(8))
      .then(matched(1, 8, "staff"));
    spec
      .given(booked(), matched(1, 8, "staff"))
      .when(match(8))
      .thenNothing();
    spec.given(booked(), matched()).when(match(8)).thenRejected("validation-failed");
    spec.given(booked(), parked, returned).when(match(8)).thenRejected("validation-failed");
    spec.given().when(match(8)).thenRejected("not-found");
  });

  it("move a payment to another account, back too, each time under another reference", () => {
    spec
      .given(booked(), matched())
      .when(reassign(8))
      .then(reassigned(7, 8, 2));
    spec
      .given(booked(), matched(), reassigned(7, 8, 2))
      .when(reassign(8))
      .thenNothing();
    spec
      .given(booked(), matched(), reassigned(7, 8, 2))
      .when(reassign(7))
      .then(reassigned(8, 7, 3));
    spec.given(booked(), parked).when(reassign(8)).thenRejected("validation-failed");
  });

  it("can move a payment a limited number of times", () => {
    const moves = Array.from({ length: mostAssignments - 1 }, (_, index) =>
      index % 2 === 0 ? reassigned(7, 8, index + 2) : reassigned(8, 7, index + 2),
    );
    spec
      .given(booked(), matched(), ...moves)
      .when(reassign(9))
      .thenRejected("validation-failed");
  });

  it("match a payout of a payment provider, and money that the provider took, once", () => {
    const matchTo = (provider: string) =>
      ({ type: "MatchEntryToProvider", data: { entryId: 1, provider, at } }) as const;
    const ofProvider = (amountCents: string): BankEvent => ({
      type: "EntryMatchedToProvider",
      data: { entryId: 1, provider: "sandbox", amountCents, bookedOn: "2026-11-28", matchedAt: at },
    });
    spec.given(booked(), parked).when(matchTo("sandbox")).then(ofProvider("1190"));
    const taken = booked(1, { amountCents: "-500" });
    spec.given(taken).when(matchTo("sandbox")).then(ofProvider("-500"));
    const settled = [booked(), parked, ofProvider("1190")];
    spec
      .given(...settled)
      .when(matchTo("sandbox"))
      .thenNothing();
    spec
      .given(...settled)
      .when(matchTo("stripe"))
      .thenRejected("validation-failed");
    spec
      .given(...settled)
      .when(match(7))
      .thenRejected("validation-failed");
    spec
      .given(...settled)
      .when(giveBack)
      .thenRejected("validation-failed");
    spec.given(booked(), matched()).when(matchTo("sandbox")).thenRejected("validation-failed");
    spec.given().when(matchTo("sandbox")).thenRejected("not-found");
  });

  it("return a payment that waits", () => {
    spec.given(booked(), parked).when(giveBack).then(returned);
    spec.given(booked(), parked, returned).when(giveBack).thenNothing();
    spec.given(booked(), matched()).when(giveBack).thenRejected("validation-failed");
  });
});

it("proposes the account of an earlier payment from the same IBAN or name, the same amount first", () => {
  const later = (entryId: number, change: object) =>
    booked(entryId, { bookingKey: "9".repeat(64), ...change });
  const history: readonly BankEvent[] = [
    booked(),
    matched(),
    later(2, { counterpartyIban: "", counterpartyName: "ADA", amountCents: "500" }),
    matched(2, 8),
    later(3, { counterpartyName: "Ada", amountCents: "500" }),
    later(4, { counterpartyName: "[erased]", counterpartyIban: "[erased]" }),
  ];
  const state = history.reduce(bank.evolve, bank.initialState);
  const proposedFor = (entryId: number) => {
    const entry = state.entries.get(entryId);
    return entry && proposedAccounts(entry, state);
  };
  expect(proposedFor(3)).toEqual([8, 7]);
  expect(proposedFor(4)).toEqual([]);
});

it("the reference of a top-up names its entry", () => {
  expect(entryOfTopUp(topUpReferenceOf(iban, 17))).toEqual({ iban, entryId: 17 });
  expect(entryOfTopUp(topUpReferenceOf(iban, 17, 2))).toEqual({ iban, entryId: 17 });
  for (const other of ["bank-4711", "bank transfer 17", `bank ${iban}`, `bank ${iban}/0`])
    expect(entryOfTopUp(other)).toBeUndefined();
});

describe("payments that name a top-up", () => {
  const state = (...events: readonly BankEvent[]) => events.reduce(bank.evolve, bank.initialState);
  const of = { paymentKey: "x-1", accountId: 7 };
  const two = [booked(), matched(1, 7, "reference", "x-1"), booked(2), matched(2, 7, "reference", "x-1")];

  it("keep the top-up", () => {
    const topUps = [{ paymentKey: "x-1", requestedCents: 1_190n }];
    const named = payment({ recipient: { accountId: 7, topUps } });
    spec
      .given()
      .when(book([booking({ payments: [named] })]))
      .then(booked(), matched(1, 7, "reference", "x-1"));
  });

  it("are added up while they are on its account", () => {
    const last = { topUpReference: `bank ${iban}/2`, valueDate: "2026-11-28" };
    expect(receivedTransfers(state(...two), of)).toEqual({ amountCents: 2_380n, ...last });
    expect(receivedTransfers(state(...two, reassigned(7, 8, 2)), of)).toEqual({
      amountCents: 1_190n,
      ...last,
    });
    const back = state(...two, reassigned(7, 8, 2), reassigned(8, 7, 3));
    expect(receivedTransfers(back, of)).toEqual({ amountCents: 2_380n, ...last });
    expect(receivedTransfers(state(booked(), matched()), of)).toBeUndefined();
  });
});
