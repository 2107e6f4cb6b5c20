import { domainExamples } from "@hostledger/core/testing";
import { projectionSpec } from "@hostledger/read/testing";
import { describe, expect, it } from "vitest";

import { noticeId } from "./notice-drafts.ts";
import { notices } from "./notices.projection.ts";

const { DomainDeleted: gone } = domainExamples.samples;
const { name, expiresAt } = gone.data;

const noFall = { fell_from_cents: null, fell_to_cents: null };

describe("a notice of what ended", () => {
  it("is that of an ended domain", () => {
    const stream = `domain-${name}`;
    projectionSpec(notices, { stream })
      .when(gone)
      .then({
        notices: [
          {
            notice_id: noticeId(`domain.deleted/${stream}@0`),
            kind: "domain.deleted",
            account_id: 7,
            server_id: null,
            resource: "domain-3",
            data: JSON.stringify({ domain_id: 3, domain_name: name, expiry_date: expiresAt }),
            ...noFall,
            noticed_at: gone.data.deletedAt,
            position: 0,
          },
        ],
        notice_domains: [],
      });
  });

  it("is that of a server whose machine was destroyed", () => {
    projectionSpec(notices, { stream: "server-5" })
      .when({
        type: "ServerTerminated",
        data: { serverId: 5, accountId: 7, node: "node-1", ipAddress: "192.0.2.7", terminatedAt: expiresAt },
      })
      .then({
        notices: [
          {
            notice_id: noticeId("server.terminated/server-5@0"),
            kind: "server.terminated",
            account_id: 7,
            server_id: 5,
            resource: "server-5",
            data: JSON.stringify({ server_id: 5 }),
            ...noFall,
            noticed_at: expiresAt,
            position: 0,
          },
        ],
      });
  });

  it("is one per expiry date and reason of a server's automatic renewal, and none for a customer's own", () => {
    const type = "ServerRenewalFailed";
    const about = { renewalId: "r", serverId: 5, accountId: 7, reason: "No", failedAt: expiresAt };
    const failed = { ...about, automatic: true, expiresAt, requiredCents: "999" };
    projectionSpec(notices, { stream: "server-5" })
      .when({ type, data: failed })
      .then({
        notices: [
          {
            notice_id: noticeId(`server.renewal_failed/renewal-failed/5/${expiresAt}/insufficient-balance`),
            kind: "server.renewal_failed",
            account_id: 7,
            server_id: 5,
            resource: "server-5",
            data: JSON.stringify({ server_id: 5, expiry_date: expiresAt, reason: "insufficient-balance" }),
            ...noFall,
            noticed_at: expiresAt,
            position: 0,
          },
        ],
      });
    projectionSpec(notices, { stream: "server-5" })
      .when({ type, data: { ...failed, automatic: false, expiresAt: null, requiredCents: null } })
      .then({ notices: [] });
  });

  it("has one id per event, without a full stop, which separates the signed text", () => {
    expect(noticeId("server.terminated/server-5@0")).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(noticeId("a")).not.toBe(noticeId("b"));
  });
});

describe("a payment", () => {
  const ids = { paymentId: 12, accountId: 7 };
  const stream = "payment-k3x7m2-1";
  const of = (kind: string, data: object) => ({
    notice_id: noticeId(`${kind}/${stream}@0`),
    kind,
    account_id: 7,
    server_id: null,
    resource: stream,
    data: JSON.stringify(data),
    ...noFall,
    noticed_at: expiresAt,
    position: 0,
  });

  it("that came is a notice with its amount", () => {
    const came = { amountCents: "5050", feeCents: "1", providerReference: "r", valueDate: "2026-03-01" };
    projectionSpec(notices, { stream })
      .when({ type: "PaymentSettled", data: { ...ids, ...came, settledAt: expiresAt } })
      .then({ notices: [of("topup.settled", { topup_id: 12, paid: 50.5 })] });
  });

  it.each([
    ["declined", "declined"],
    ["mandate-revoked", "mandate_revoked"],
  ] as const)(
    "that failed is a notice with the reason %s, without the provider's words",
    (because, failure) => {
      projectionSpec(notices, { stream })
        .when({ type: "PaymentFailed", data: { ...ids, because, reason: "Ada's card", failedAt: expiresAt } })
        .then({ notices: [of("topup.failed", { topup_id: 12, failure })] });
    },
  );
});

describe("a balance that changes", () => {
  const stream = "account-7";
  const adjusted = (amountCents: string) =>
    ({
      type: "BalanceAdjusted",
      data: {
        kind: "debit",
        reference: "r",
        amountCents,
        balanceAfterCents: "1000",
        reason: "spec",
        debtAllowed: false,
        adjustedAt: expiresAt,
      },
    }) as const;

  it("below zero is reminded of with the debt's days and number", () => {
    const [debtSince, remindedAt] = ["2026-03-01T10:00:00.000000Z", "2026-03-11T10:00:01.000000Z"];
    const data = { accountId: 7, debtSince, afterDays: 10, reminder: 2, balanceCents: "-999", remindedAt };
    projectionSpec(notices, { stream })
      .when({ type: "DebtReminded", data })
      .then({
        notices: [
          {
            notice_id: noticeId(`balance.in_debt/${stream}@0`),
            kind: "balance.in_debt",
            account_id: 7,
            server_id: null,
            resource: stream,
            data: JSON.stringify({ balance: -9.99, debt_since: debtSince, debt_days: 10, reminder: 2 }),
            fell_from_cents: null,
            fell_to_cents: null,
            noticed_at: remindedAt,
            position: 0,
          },
        ],
      });
  });

  it("is stored with the old and the new amount", () => {
    projectionSpec(notices, { stream })
      .when(adjusted("-250"))
      .then({
        notices: [
          {
            notice_id: noticeId(`balance.low/${stream}@0`),
            kind: "balance.low",
            account_id: 7,
            server_id: null,
            resource: stream,
            data: JSON.stringify({ balance: 10, balance_before: 12.5 }),
            fell_from_cents: 1_250,
            fell_to_cents: 1_000,
            noticed_at: expiresAt,
            position: 0,
          },
        ],
      });
  });

  it("is no notice if it rises", () => {
    projectionSpec(notices, { stream }).when(adjusted("250")).then({ notices: [] });
  });

  it("has a threshold from its place of the log on", () => {
    projectionSpec(notices, { stream: "noticechoice-7" })
      .when({
        type: "LowBalanceThresholdSet",
        data: { accountId: 7, thresholdCents: "2000", setAt: expiresAt },
      })
      .then({ notice_thresholds: [{ account_id: 7, position: 0, threshold_cents: 2_000 }] });
  });
});
