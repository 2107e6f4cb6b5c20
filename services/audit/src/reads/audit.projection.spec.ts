import { accountExamples } from "@hostledger/core/testing";
import { projectionSpec } from "@hostledger/read/testing";
import type { AuditorEvent } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { type AuditLogEvent, auditLogEvents } from "./audit.subscription.ts";
import {
  auditedAccounts,
  auditedDocuments,
  auditedReferences,
  auditorCredentials,
} from "./audit.projection.ts";

const { opened, credited, charged, refunded, serverRefunded, at } = accountExamples;
const stream = "account-7";
const later = "2026-03-02T10:00:00.000000Z";
const inAccount = (events: readonly AuditLogEvent[], time = at) =>
  events.map((event) => ({ event, stream, time }));

const issued: AuditorEvent = {
  type: "AuditorCredentialIssued",
  data: {
    credentialId: 3,
    name: "Grace",
    credentialHash: "a".repeat(64),
    prefix: "hla_3_abcdef",
    issuedAt: at,
    expiresAt: "2026-04-01T10:00:00.000000Z",
  },
};
const used: AuditorEvent = {
  type: "AuditorCredentialUsed",
  data: { credentialId: 3, method: "GetStatement", subject: "account 7", usedAt: at },
};
const revoked: AuditorEvent = { type: "AuditorCredentialRevoked", data: { credentialId: 3, revokedAt: at } };

describe("audited_accounts", () => {
  const row = { id: 7, name: "Ada", balance_cents: 0, opened_at: at, last_movement_at: null };

  it("begin with nothing", () => {
    projectionSpec(auditedAccounts)
      .given(...inAccount([opened()]))
      .then({ audited_accounts: [row] });
  });

  it.each([
    ["a payment", credited(), 10_000],
    ["a charge", charged(), 8_810],
    ["a refund of a registration", refunded("9999"), 9_999],
    ["a refund of another charge", serverRefunded("9998"), 9_998],
  ] as const)("have the event's data after %s", (_what, events, balance) => {
    projectionSpec(auditedAccounts)
      .given(...inAccount([opened()]), ...inAccount(events, later))
      .then({ audited_accounts: [{ ...row, balance_cents: balance, last_movement_at: later }] });
  });
});

describe("audited_documents", () => {
  it("are found by number and id, with their events' places", () => {
    projectionSpec(auditedDocuments)
      .given(...inAccount([opened(), ...credited(), ...charged(), ...refunded()]))
      .then({
        audited_documents: [
          { id: 100, number: "2026-7-T000001", account_id: 7, revision: 2 },
          { id: 101, number: "2026-7-000001", account_id: 7, revision: 4 },
          { id: 102, number: "2026-7-C000001", account_id: 7, revision: 6 },
        ],
      });
  });
});

describe("audited_references", () => {
  const requestId = "request-1";
  const asked = (events: readonly AuditLogEvent[], inStream: string) =>
    events.map((event) => ({ event, stream: inStream, time: at, metadata: { requestId } }));
  const profile = { name: "Ada Lovelace", organisation: "", email: "ada@example.com" };
  const changed: AuditLogEvent = {
    type: "ProfileChanged",
    data: {
      accountId: 7,
      version: 1,
      kind: "person",
      ...profile,
      street: "",
      city: "",
      postalCode: "",
      country: "",
      phone: "",
      vatId: "",
      leitwegId: "",
      changedAt: at,
    },
  };
  const provisioned: AuditLogEvent = {
    type: "ServerProvisioned",
    data: {
      orderId: "order-1",
      serverId: 5,
      accountId: 7,
      planId: 1,
      node: "node1",
      ipAddress: "2001:db8::5",
      rdns: "",
      chargeId: null,
      invoiceId: null,
      provisionedAt: at,
      expiresAt: at,
    },
  };

  it("are the profile, requests, servers' addresses, and whose the streams are", () => {
    projectionSpec(auditedReferences)
      .given(...asked([changed], stream), ...asked([provisioned], "server-5"))
      .then({
        audited_profiles: [{ id: 7, ...profile }],
        audited_owners: [{ stream: "server-5", account_id: 7 }],
        audited_references: [
          { kind: "address", value: "2001:db8:0:0:0:0:0:5", stream: "server-5" },
          { kind: "request", value: requestId, stream },
        ],
      });
  });

  it("name the stream of a request whose event does not name the account", () => {
    const closed: AuditLogEvent = {
      type: "TicketClosed",
      data: { ticketId: 4, by: "staff", closeId: "close-1", closedAt: at },
    };
    projectionSpec(auditedReferences)
      .given(...asked([closed], "ticket-4"))
      .then({
        audited_profiles: [],
        audited_owners: [],
        audited_references: [{ kind: "request", value: requestId, stream: "ticket-4" }],
      });
  });

  it("remove the profile of an erased account", () => {
    const erased: AuditLogEvent = {
      type: "PersonalDataErased",
      data: { accountId: 7, erasedAt: at, because: "asked" },
    };
    projectionSpec(auditedReferences)
      .given(...inAccount([changed, erased]))
      .then({ audited_profiles: [], audited_owners: [], audited_references: [] });
  });
});

describe("auditor_credentials", () => {
  const row = {
    id: 3,
    name: "Grace",
    prefix: "hla_3_abcdef",
    issued_at: at,
    expires_at: "2026-04-01T10:00:00.000000Z",
    revoked_at: null,
    last_used_at: null,
    uses: 0,
  };
  const given = (...events: readonly AuditorEvent[]) =>
    projectionSpec(auditorCredentials).given(...events.map((event) => ({ event, stream: "auditor-3" })));

  it("count their uses", () => {
    given(issued).then({ auditor_credentials: [row] });
    given(issued, used, used).then({ auditor_credentials: [{ ...row, last_used_at: at, uses: 2 }] });
    given(issued, used, revoked).then({
      auditor_credentials: [{ ...row, last_used_at: at, uses: 1, revoked_at: at }],
    });
  });
});

it.each([auditedAccounts, auditedDocuments, auditedReferences, auditorCredentials])(
  "$name stops at no event of the streams it follows",
  ({ handlers }) => {
    expect(Object.keys(handlers).toSorted()).toEqual(Object.keys(auditLogEvents).toSorted());
  },
);
