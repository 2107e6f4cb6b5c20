import { projectionSpec, type GivenEvent } from "@hostledger/read/testing";
import { describe, test } from "vitest";

import { examples } from "./account-subscription.fixture.ts";
import type { AccountSubscriptionEvent } from "./account.subscription.ts";
import { accountWork } from "./work.projection.ts";

const { ProfileChanged, VatIdChecked, PersonalDataErased } = examples;
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
