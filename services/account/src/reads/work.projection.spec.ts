import { projectionSpec, type GivenEvent } from "@hostledger/read/testing";
import { describe, test } from "vitest";

import { examples } from "./account-subscription.fixture.ts";
import type { AccountSubscriptionEvent } from "./account.subscription.ts";
import { accountWork } from "./work.projection.ts";

const { EntryMatched, EntryReassigned, BalanceCredited, ProfileChanged, VatIdChecked, PersonalDataErased } =
  examples;
const first = "2026-03-01T10:00:00.000000Z";
const later = "2026-04-01T00:00:00.000000Z";
const on = (event: AccountSubscriptionEvent, time = first): GivenEvent<AccountSubscriptionEvent> => ({
  event,
  time,
  stream: "account-7",
});
const row = (due_at: string) => ({
  kind: "vat-id",
  key: "7",
  account_id: ProfileChanged.data.accountId,
  due_at,
  awaits_funds: 0,
});

describe("the work on accounts", () => {
  test("begins with the first profile, and is due after each change and answer", () => {
    projectionSpec(accountWork)
      .when(on(ProfileChanged))
      .then({ work: [row(first)] });
    for (const event of [ProfileChanged, VatIdChecked])
      projectionSpec(accountWork)
        .given(on(ProfileChanged))
        .when(on(event, later))
        .then({ work: [row(later)] });
  });

  test("ends when the personal data is erased", () => {
    projectionSpec(accountWork)
      .given(on(ProfileChanged))
      .when(on(PersonalDataErased, later))
      .then({ work: [] });
  });
});

describe("the work on debts", () => {
  const { BalanceAdjusted, DebtReminded } = examples;
  const adjusted = (balanceAfterCents: string): AccountSubscriptionEvent => ({
    ...BalanceAdjusted,
    data: { ...BalanceAdjusted.data, balanceAfterCents },
  });
  const due = (due_at: string) => ({ ...row(due_at), kind: "debt", account_id: 7 });

  test("begins with a balance below zero, is due after each reminder, and ends with an erasure", () => {
    projectionSpec(accountWork)
      .when(on(adjusted("0")))
      .then({ work: [] });
    projectionSpec(accountWork)
      .when(on(adjusted("-1")))
      .then({ work: [due(first)] });
    projectionSpec(accountWork)
      .given(on(adjusted("-1")))
      .when(on(DebtReminded, later))
      .then({ work: [due(later)] });
    projectionSpec(accountWork)
      .given(on(adjusted("-1")))
      .when(on(PersonalDataErased, later))
      .then({ work: [] });
  });
});

describe("the work on entries of the bank account", () => {
  const stream = "bank-DE89370400440532013000";
  const booked = (event: AccountSubscriptionEvent, time: string) => ({ event, time, stream });
  const due = (account_id: number, due_at: string) => ({
    ...row(due_at),
    kind: "bank-credit",
    key: "DE89370400440532013000/1",
    account_id,
  });

  test("begins when an entry is matched, and is due again when the entry is moved or its account was credited", () => {
    const matched = booked(EntryMatched, first);
    projectionSpec(accountWork)
      .when(matched)
      .then({ work: [due(7, first)] });
    projectionSpec(accountWork)
      .given(matched)
      .when(booked(EntryReassigned, later))
      .then({ work: [due(8, later)] });
    const reference = "bank DE89370400440532013000/1";
    projectionSpec(accountWork)
      .given(matched)
      .when(on({ ...BalanceCredited, data: { ...BalanceCredited.data, reference } }, later))
      .then({ work: [due(7, later)] });
  });
});
