import { Code, ConnectError } from "@connectrpc/connect";
import type { admin } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";
import type { StaffImplementation } from "../testing/staff-server.ts";

const at = "2026-01-02T03:04:05.000006Z";
const line = ["admin", "account", "show", "7"];

const quotas = [{ name: "open_tickets", value: 20n, standard: 10n }];

/** An instance whose account 7 has only a balance. */
const empty = {
  accounts: {
    showAccount: () => ({ accountId: 7n, name: "Ada", vatExempt: false, balanceCents: 1_234n, openedAt: at }),
    listQuotas: () => ({ quotas }),
    listAccountFacts: () => ({ facts: [], total: 0n }),
  },
  domains: { listAllDomains: () => ({ domains: [], total: 0n }), listRuns: () => ({ runs: [] }) },
  servers: { listAllServers: () => ({ servers: [], total: 0n }), listServerRuns: () => ({ runs: [] }) },
  support: { listAllTickets: () => ({ tickets: [], total: 0n }) },
} satisfies StaffImplementation;

const run = { process: "registration", status: "waiting", step: "ordered", startedAt: at, accountId: 7n };

/** An instance whose account 7 has items of each kind. */
function busy(asked: unknown[]): StaffImplementation {
  return {
    accounts: {
      ...empty.accounts,
      listAccountFacts: ({ accountId, limit }: admin.ListAccountFactsRequest) => {
        asked.push(["facts", accountId, limit]);
        const event = { revision: 40n, type: "BalanceCredited", storedAt: at, actor: "staff:anna" };
        return { facts: [{ ...event, sentence: "10.00 EUR came in." }], total: 41n };
      },
    },
    domains: {
      listAllDomains: ({ accountId, page }: admin.ListAllDomainsRequest) => {
        asked.push(["domains", accountId, page?.limit]);
        const domain = { id: 3n, domainName: "example.com", accountId: 7n, status: "active", expiryDate: at };
        return { domains: [domain], total: 37n };
      },
      listRuns: ({ accountId }: admin.ListRunsRequest) => {
        asked.push(["runs", accountId]);
        const runs = Array.from({ length: 11 }, (_, index) => `registration-${String(index)}`);
        return { runs: runs.map((name) => ({ ...run, run: name, subject: "late.com" })) };
      },
    },
    servers: {
      listAllServers: ({ accountId, presentOnly, page }: admin.ListAllServersRequest) => {
        asked.push(["servers", accountId, presentOnly, page?.limit]);
        const server = { id: 5n, accountId: 7n, status: "suspended", planId: 2n, expiryDate: at };
        return { servers: [server], total: 1n };
      },
      listServerRuns: ({ accountId }: admin.ListServerRunsRequest) => {
        asked.push(["server runs", accountId]);
        return { runs: [{ ...run, run: "serverorder-1", subject: "server-6" }] };
      },
    },
    support: {
      listAllTickets: ({ accountId, openOnly, page }: admin.ListAllTicketsRequest) => {
        asked.push(["tickets", accountId, openOnly, page?.limit]);
        const ticket = { id: 9n, title: "Help", status: "open", priority: "normal", createdAt: at };
        return { tickets: [{ accountId: 7n, ticket }], total: 2n };
      },
    },
  };
}

describe("admin account show", () => {
  it("shows an account that has only money", async () => {
    const { stdout } = await runAgainst(empty, line);
    expect(stdout).toBe(
      [
        "account      7",
        "name         Ada",
        "balance EUR  12.34",
        "VAT exempt   no",
        "opened       2026-01-02T03:04:05Z",
        "",
        "domains: none",
        "",
        "servers: none",
        "",
        "unfinished runs: none",
        "",
        "open tickets: none",
        "",
        "last events: none",
        "",
        "quotas",
        "QUOTA         VALUE  STANDARD  TAKEN TODAY",
        "open_tickets     20        10            -",
        "",
      ].join("\n"),
    );
  });

  it("requests ten items of a kind from each service, and shows their number", async () => {
    const asked: unknown[] = [];
    const { stdout } = await runAgainst(busy(asked), line);
    for (const heading of [
      "domains: 1 of 37",
      "servers: 1 of 1",
      "unfinished runs: 10 of 12",
      "open tickets: 1 of 2",
      "last events: 1 of 41",
    ])
      expect(stdout).toContain(`\n${heading}\n`);
    expect(stdout).toContain(`2026-01-02T03:04:05Z  staff:anna  10.00 EUR came in.\n`);
    expect(asked.toSorted()).toEqual([
      ["domains", 7n, 10],
      ["facts", 7n, 10],
      ["runs", 7n],
      ["server runs", 7n],
      ["servers", 7n, true, 10],
      ["tickets", 7n, true, 10],
    ]);
  });

  it.each([
    ["after", [...line, "--json"]],
    ["before", ["admin", "--json", "account", "show", "7"]],
  ])("answers JSON with the option %s the command", async (_place, json) => {
    const { exitCode, stdout, stderr } = await runAgainst(busy([]), json);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      account_id: 7,
      name: "Ada",
      balance: "12.34",
      in_debt: false,
      vat_exempt: false,
      opened_at: at,
      erased_at: null,
      domains: { total: 37, listed: [{ domain_id: 3, domain_name: "example.com", status: "active" }] },
      servers: { total: 1, listed: [{ server_id: 5, status: "suspended", plan_id: 2, expiry_date: at }] },
      runs: { total: 12 },
      tickets: { total: 2, listed: [{ ticket_id: 9, priority: "normal", title: "Help" }] },
      facts: { total: 41, listed: [{ revision: 40, type: "BalanceCredited", actor: "staff:anna" }] },
      quotas: [{ quota: "open_tickets", value: 20, standard: 10, taken_today: null }],
    });
  });

  it("shows that an account is in debt", async () => {
    const accounts = {
      ...empty.accounts,
      showAccount: () => ({ ...empty.accounts.showAccount(), balanceCents: -1_234n }),
    };
    const { stdout } = await runAgainst({ ...empty, accounts }, line);
    expect(stdout).toContain("balance EUR  -12.34\nin debt      yes\n");
    const json = await runAgainst({ ...empty, accounts }, [...line, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ balance: "-12.34", in_debt: true });
    const remindedOf = { ...accounts.showAccount(), debtSince: at, debtReminders: 2 };
    const reminded = { ...empty, accounts: { ...accounts, showAccount: () => remindedOf } };
    expect((await runAgainst(reminded, line)).stdout).toContain(
      "in debt since  2026-01-02T03:04:05Z\nreminders      2\n",
    );
    expect(JSON.parse((await runAgainst(reminded, [...line, "--json"])).stdout)).toMatchObject({
      debt_since: at,
      debt_reminders: 2,
    });
  });

  it("shows when personal data was erased", async () => {
    const accounts = {
      ...empty.accounts,
      showAccount: () => ({ ...empty.accounts.showAccount(), name: "", erasedAt: at }),
    };
    const { stdout } = await runAgainst({ ...empty, accounts }, line);
    expect(stdout).toContain("erased       2026-01-02T03:04:05Z\n");
  });

  it("is refused for a missing account, without calling other services", async () => {
    const accounts = {
      showAccount: () => {
        throw new ConnectError("There is no such account.", Code.NotFound);
      },
    };
    const { exitCode, stdout, stderr } = await runAgainst({ accounts }, line);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("There is no such account.");
  });

  it.each(["0", "-1", "1.5", "x", "", "9999999999999999"])("is wrong usage for the id %j", async (id) => {
    expect(await runCommand(["admin", "account", "show", id])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
