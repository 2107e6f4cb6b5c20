import { accountExamples } from "@hostledger/core/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { randomIds } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { openAudit, type AuditFixture } from "../audit-service.fixture.ts";

const { opened, credited, charged } = accountExamples;

/** Account 7 is opened at 10:00, has 100.00 from 11:00 on, and 88.10 from 12:00 on. The clock is at 13:00 then. */
async function openScenario(): Promise<AuditFixture> {
  const fixture = await openAudit();
  const { record, clock } = fixture;
  await record("account-7", opened());
  clock.advance(3_600_000);
  await record("account-7", ...credited());
  clock.advance(3_600_000);
  await record("account-7", ...charged());
  clock.advance(3_600_000);
  return fixture;
}

describe("accounts", () => {
  it("are listed by id with their data", async () => {
    const { audits, record } = await openScenario();
    await record("account-8", {
      type: "AccountOpened",
      data: { ...opened().data, accountId: 8, name: "Ben's Über_100%" },
    });
    const all = await audits().listAuditedAccounts({});
    expect(all.accounts).toMatchObject([
      {
        accountId: 7n,
        name: "Ada",
        balanceCents: 8_810n,
        openedAt: "2026-03-01T10:00:00.000000Z",
        lastMovementAt: "2026-03-01T12:00:00.000000Z",
      },
      { accountId: 8n, balanceCents: 0n },
    ]);
    expect(all.accounts[1]?.lastMovementAt).toBeUndefined();
    const idsOf = async (search: string, afterId = 0n) =>
      (await audits().listAuditedAccounts({ search, page: { afterId, limit: 1 } })).accounts.map(
        ({ accountId }) => accountId,
      );
    expect(await idsOf("")).toEqual([7n]);
    expect(await idsOf("", 7n)).toEqual([8n]);
    expect(await idsOf("ÜBER_1")).toEqual([8n]);
    expect(await idsOf("ber%1")).toEqual([]);
    expect(await idsOf("7")).toEqual([7n]);
    expect(await idsOf("'")).toEqual([8n]);
  });

  it("are found by the data that staff know", async () => {
    const { audits, record, append, settled, store } = await openScenario();
    const profile = {
      kind: "organisation" as const,
      name: "Grace Hopper",
      organisation: "Flow-Matic GmbH",
      street: "",
      city: "",
      postalCode: "",
      country: "",
      email: "Grace@Example.org",
      phone: "",
      vatId: "",
      leitwegId: "",
    };
    const at = "2026-03-01T10:00:00.000000Z";
    await record("account-7", {
      type: "ProfileChanged",
      data: { accountId: 7, version: 1, ...profile, changedAt: at },
    });
    await record("account-8", {
      type: "AccountOpened",
      data: { ...opened().data, accountId: 8, name: "Ben" },
    });
    await record("domain-xn--mnchen-3ya.com", {
      type: "RegistrationReserved",
      data: {
        registrationId: "registration-1",
        domainId: 1,
        accountId: 7,
        name: "xn--mnchen-3ya.com",
        years: 1,
        autoRenew: false,
        nameservers: null,
        yearNetCents: "1000",
        provider: null,
        reservedAt: at,
      },
    });
    const server = { orderId: "order-1", serverId: 5, accountId: 7, planId: 1, node: "node1", rdns: "" };
    const paid = { chargeId: null, invoiceId: null, provisionedAt: at, expiresAt: at };
    await record("server-5", {
      type: "ServerProvisioned",
      data: { ...server, ...paid, ipAddress: "2001:db8::5" },
    });
    await record("server-6", {
      type: "ServerProvisioned",
      data: { ...server, ...paid, serverId: 6, accountId: 8, ipAddress: "192.0.2.6" },
    });
    await record("ticket-4", {
      type: "TicketOpened",
      data: {
        ticketId: 4,
        accountId: 8,
        title: "Help",
        message: "Please",
        priority: "normal",
        serverId: null,
        cause: "request-4",
        openedAt: at,
      },
    });
    await append("ticket-4", {
      type: "TicketClosed",
      data: { ticketId: 4, by: "staff", closeId: "close-1", closedAt: at },
    });
    await store.append("ticket-4", "any", [withRequest("TicketClosed.v1", "req-closed")]);
    await settled();
    const found = async (search: string) =>
      (await audits().listAuditedAccounts({ search })).accounts.map(({ accountId, foundBy }) => [
        accountId,
        ...foundBy,
      ]);
    expect(await found("grace hop")).toEqual([[7n, "profile's name"]]);
    expect(await found("flow-matic")).toEqual([[7n, "organisation"]]);
    expect(await found("grace@example.ORG")).toEqual([[7n, "e-mail"]]);
    expect(await found("München.com.")).toEqual([[7n, "domain xn--mnchen-3ya.com"]]);
    expect(await found("xn--mnchen-3ya.com")).toEqual([[7n, "domain xn--mnchen-3ya.com"]]);
    expect(await found("2001:DB8:0::5")).toEqual([[7n, "server 5"]]);
    expect(await found("192.0.2.6")).toEqual([[8n, "server 6"]]);
    expect(await found("2026-7-000001")).toEqual([[7n, "document 2026-7-000001"]]);
    expect(await found("2026-7-T000001")).toEqual([[7n, "document 2026-7-T000001"]]);
    expect(await found("4")).toEqual([[8n, "ticket 4"]]);
    expect(await found("req-closed")).toEqual([[8n, "request req-closed"]]);
    expect(await found("192.0.2.7")).toEqual([]);
    await record("account-7", {
      type: "PersonalDataErased",
      data: { accountId: 7, erasedAt: at, because: "asked" },
    });
    expect(await found("grace")).toEqual([]);
    expect(await found("Ada")).toEqual([]);
    expect(await found("2001:db8::5")).toEqual([[7n, "server 5"]]);
  });

  it("are not searched for with a long text", async () => {
    const { audits } = await openAudit();
    const refusal = await refusalOf(audits().listAuditedAccounts({ search: "x".repeat(255) }));
    expect(refusal).toMatchObject({
      code: "validation-failed",
      message: "search must be well-formed text of at most 254 characters.",
    });
  });
});

function withRequest(type: string, requestId: string) {
  return {
    id: randomIds.uuid(),
    type,
    data: JSON.stringify({
      ticketId: 4,
      by: "staff",
      closeId: "close-2",
      closedAt: "2026-03-01T10:00:00.000000Z",
    }),
    metadata: JSON.stringify({ requestId, commandId: "spec", actor: "staff:ada", recordedBy: "spec" }),
  };
}

describe("statements and balances", () => {
  it("are recomputed from the events", async () => {
    const { audits } = await openScenario();
    const statement = await audits().getStatement({ accountId: 7n, fromTime: "2026-03-01T11:30:00Z" });
    expect(statement).toMatchObject({
      name: "Ada",
      openingBalanceCents: 10_000n,
      closingBalanceCents: 8_810n,
      asOf: "2026-03-01T13:00:00.000000Z",
    });
    expect(statement.movements).toMatchObject([
      { amountCents: -1_190n, documentNumber: "2026-7-000001", documentId: 101n, actor: "spec" },
    ]);
    const balances = await Promise.all(
      ["2026-03-01T10:59:59.999999Z", "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z"].map((asOf) =>
        audits().getBalanceAsOf({ accountId: 7n, asOf }),
      ),
    );
    expect(balances.map(({ balanceCents }) => balanceCents)).toEqual([0n, 10_000n, 8_810n]);
  });

  it("are refused with one sentence without an answer", async () => {
    const { audits } = await openScenario();
    const asked = [
      [9n, undefined, "not-found", "There is no account 9."],
      [0n, undefined, "not-found", "There is no account 0."],
      [2n ** 62n, undefined, "not-found", `There is no account ${String(2n ** 62n)}.`],
      [7n, "2026-03-01T13:00:00.000001Z", "validation-failed", "is in the future"],
      [7n, "2026-03-01T09:59:59Z", "validation-failed", "it had no balance yet"],
      [7n, "yesterday", "validation-failed", "asOf must be a date or an instant"],
    ] as const;
    for (const [accountId, asOf, code, sentence] of asked) {
      const wanted = { accountId, asOf: asOf ?? "2026-03-01T12:30:00Z" };
      for (const call of [audits().getStatement(wanted), audits().getBalanceAsOf(wanted)]) {
        const refusal = await refusalOf(call);
        expect(refusal.code).toBe(code);
        expect(refusal.message).toContain(sentence);
      }
    }
  });
});

describe("an invoice", () => {
  it("is explained by its number and by its id", async () => {
    const { audits } = await openScenario();
    const explanation = await audits().explainInvoice({ invoice: "2026-7-000001" });
    expect(explanation).toMatchObject({
      invoiceId: 101n,
      accountId: 7n,
      cause: "registration-1",
      grossCents: 1_190n,
      outcome: "open",
    });
    expect(explanation.steps.map(({ kind, event }) => [kind, event?.index, event?.type])).toEqual([
      // The request has no event of its own here, so its first resulting event is shown.
      ["request", 3n, "BalanceCharged.v1"],
      ["charge", 3n, "BalanceCharged.v1"],
      ["charge", 4n, "InvoiceIssued.v3"],
    ]);
    expect(await audits().explainInvoice({ invoice: "101" })).toEqual(explanation);
  });

  it("that does not exist is not found", async () => {
    const { audits } = await openScenario();
    for (const invoice of ["2026-7-000002", "2026-9-000001", "102", "x", "9".repeat(30)]) {
      const refusal = await refusalOf(audits().explainInvoice({ invoice }));
      expect(refusal).toMatchObject({ code: "not-found", message: `There is no invoice ${invoice}.` });
    }
  });

  it("has a number of a sensible length", async () => {
    const { audits } = await openAudit();
    for (const invoice of ["", "1".repeat(65)])
      expect((await refusalOf(audits().explainInvoice({ invoice }))).code).toBe("validation-failed");
  });
});

it("only auditors and staff are answered", async () => {
  const { audits } = await openScenario();
  for (const caller of [
    { kind: "account", accountId: 7, keyId: 1 },
    { kind: "service", name: "domain" },
  ] as const) {
    const client = audits(caller);
    const calls = [
      client.listAuditedAccounts({}),
      client.getStatement({ accountId: 7n }),
      client.getBalanceAsOf({ accountId: 7n, asOf: "2026-03-01" }),
      client.explainInvoice({ invoice: "101" }),
      client.getCheckpoint({}),
      client.getInclusionProof({ leaf: { case: "index", value: 0n } }),
      client.getConsistencyProof({ firstSize: 1n }),
      client.readEvents({})[Symbol.asyncIterator]().next(),
    ];
    for (const call of calls) expect((await refusalOf(call)).code).toBe("unauthorized");
  }
});
