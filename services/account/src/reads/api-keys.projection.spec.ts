import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { type AccountSubscriptionEvent } from "./account.subscription.ts";
import { examples, stored, typesInStreams } from "./account-subscription.fixture.ts";
import type { apiKeyTables } from "./account.tables.ts";
import { apiKeys } from "./api-keys.projection.ts";

type Rows = ExpectedRows<typeof apiKeyTables>;

const active = {
  key_hash: "a".repeat(64),
  key_id: 5,
  account_id: 7,
  prefix: "hlk_abcdef",
  issued_at: "2026-03-01T10:00:00.000000Z",
  revoked_at: null,
};

describe("api_keys", () => {
  const noKey: Rows = { api_keys: [] };

  /** Expected rows after each event on an empty log. A missing event type does not compile. */
  const first: Readonly<Record<AccountSubscriptionEvent["type"], Rows>> = {
    AccountOpened: noKey,
    PersonalDataErased: noKey,
    ProfileChanged: noKey,
    DocumentSeriesBegun: noKey,
    VatExemptionChanged: noKey,
    VatIdChecked: noKey,
    DebtReminded: noKey,
    BalanceCredited: noKey,
    BalanceAdjusted: noKey,
    BalancePaidOut: noKey,
    PaidOutReturned: noKey,
    BalanceCharged: noKey,
    RegistrationRefunded: noKey,
    ChargeRefunded: noKey,
    RefundGranted: noKey,
    InvoiceIssued: noKey,
    CorrectionIssued: noKey,
    ReceiptCancelled: noKey,
    ApiKeyIssued: { api_keys: [active] },
    ApiKeyRevoked: noKey,
    DomainRegistered: noKey,
    DomainTransferredIn: noKey,
    DomainRenewed: noKey,
    ServerProvisioned: noKey,
    ServerRenewed: noKey,
    RegistrationReserved: noKey,
    RegistrationReleased: noKey,
    TransferReserved: noKey,
    TransferReleased: noKey,
    DomainTransferredAway: noKey,
    DomainDeleted: noKey,
    ServerOrdered: noKey,
    ServerOrderFailed: noKey,
    ServerTerminationBegun: noKey,
    DocumentArchived: noKey,
    PaymentRequested: noKey,
    PaymentOpened: noKey,
    PaymentSettled: noKey,
    PaymentFailed: noKey,
    PaymentReturned: noKey,
    RefundOrdered: noKey,
    RefundSettled: noKey,
    RefundRefused: noKey,
    MethodStored: noKey,
    MethodWithdrawn: noKey,
    MethodRemoved: noKey,
    AutoTopUpSet: noKey,
    AutoTopUpOrdered: noKey,
    AutoTopUpStopped: noKey,
    StatementImported: noKey,
    BankEntryBooked: noKey,
    EntryMatched: noKey,
    EntryParked: noKey,
    EntryReassigned: noKey,
    EntryMatchedToProvider: noKey,
    EntryReturned: noKey,
    PayoutQueued: noKey,
    PayoutFileMade: noKey,
    PayoutPaid: noKey,
    PayoutReturned: noKey,
  };

  test.each(Object.values(examples))("$type", (event) => {
    projectionSpec(apiKeys).when(stored(event)).then(first[event.type]);
  });

  it("stop at no event of the streams they follow", () => {
    expect(Object.keys(apiKeys.handlers).toSorted()).toEqual(typesInStreams.toSorted());
  });

  it("store when a key was revoked, and leave the others unchanged", () => {
    const otherKey = { ...examples.ApiKeyIssued.data, keyId: 6, keyHash: "b".repeat(64) };
    projectionSpec(apiKeys)
      .given(stored(examples.ApiKeyIssued), {
        event: { type: "ApiKeyIssued", data: otherKey },
        stream: "account-8",
      })
      .when(stored(examples.ApiKeyRevoked))
      .then({
        api_keys: [
          { ...active, revoked_at: "2026-04-01T10:00:00.000000Z" },
          { ...active, key_hash: "b".repeat(64), key_id: 6, account_id: 8 },
        ],
      });
  });
});
