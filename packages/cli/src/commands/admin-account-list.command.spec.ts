import { describe, expect, it } from "vitest";
import type { audit } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const ada = { accountId: 7n, name: "Ada", balanceCents: 1_050n, openedAt: "2026-11-22" };
const bob = { ...ada, accountId: 8n, name: "Bob", lastMovementAt: "2026-11-23" };

function answering() {
  const asked: unknown[] = [];
  const audits = {
    listAuditedAccounts: ({ search, page }: audit.ListAuditedAccountsRequest) => {
      asked.push([search, page?.afterId, page?.limit]);
      return { accounts: [ada, bob] };
    },
  };
  return { asked, implementation: { audits } };
}

describe("admin account list and search", () => {
  it("list accounts with their balances", async () => {
    const { asked, implementation } = answering();
    const { stdout } = await runAgainst(implementation, ["admin", "account", "list", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      { account_id: 7, name: "Ada", balance: "10.50", opened_at: "2026-11-22", last_movement_at: null },
      {
        account_id: 8,
        name: "Bob",
        balance: "10.50",
        opened_at: "2026-11-22",
        last_movement_at: "2026-11-23",
      },
    ]);
    expect(asked).toEqual([["", 0n, 1_000]]);
  });

  it("show by which data each account was found", async () => {
    const audits = {
      listAuditedAccounts: () => ({ accounts: [{ ...ada, foundBy: ["e-mail", "domain example.com"] }] }),
    };
    const line = ["admin", "account", "search", "example.com"];
    const { stdout } = await runAgainst({ audits }, line);
    expect(stdout).toMatch(/FOUND BY\n.*  e-mail, domain example\.com\n$/u);
    const json = await runAgainst({ audits }, [...line, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject([{ found_by: ["e-mail", "domain example.com"] }]);
  });

  it("continue after an account, with a page size", async () => {
    const { asked, implementation } = answering();
    const line = ["admin", "account", "search", "a", "--after", "6", "--limit", "2"];
    expect((await runAgainst(implementation, line)).stdout).toContain("Ada");
    expect(asked).toEqual([["a", 6n, 2]]);
  });

  it.each([
    ["list", "--limit", "0"],
    ["list", "--limit", "1001"],
    ["list", "--after", "-1"],
    ["search"],
    ["search", " "],
  ])("are wrong usage: %s %s %s", async (...line) => {
    expect(await runCommand(["admin", "account", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
