import { expect, it } from "vitest";
import { runAgainst } from "../testing/run-command.ts";

const approval = {
  approvalId: 3n,
  accountId: 7n,
  amountCents: 250_000n,
  kind: "credit",
  reference: "R-1",
  reason: "Outage",
  requestedBy: "anna",
  requestedAt: "2026-11-22",
  expiresAt: "2026-11-29",
};

it("admin approvals list shows waiting requests, and who made them", async () => {
  const accounts = { listApprovals: () => ({ approvals: [approval] }) };
  const { stdout } = await runAgainst({ accounts }, ["admin", "approvals", "list", "--json"]);
  expect(JSON.parse(stdout)).toEqual([
    {
      approval_id: 3,
      account_id: 7,
      kind: "credit",
      amount: "2500.00",
      reference: "R-1",
      reason: "Outage",
      iban: "",
      debt_allowed: false,
      requested_by: "anna",
      requested_at: "2026-11-22",
      expires_at: "2026-11-29",
    },
  ]);
});

it("admin approvals approve shows the credited amount", async () => {
  const accounts = {
    approveCredit: ({ approvalId }: { approvalId: bigint }) => ({
      approvalId,
      accountId: 7n,
      invoiceId: 12n,
      balanceCents: 250_000n,
    }),
  };
  const line = ["admin", "approvals", "approve", "3"];
  expect((await runAgainst({ accounts }, line)).stdout).toBe(
    "Approved and done, with receipt 12. The balance of account 7 is 2500.00 EUR.\n",
  );
  expect(JSON.parse((await runAgainst({ accounts }, [...line, "--json"])).stdout)).toEqual({
    approval_id: 3,
    account_id: 7,
    invoice_id: 12,
    balance: "2500.00",
    repeated: false,
  });
});

it("admin approvals approve names no receipt if there is none", async () => {
  const accounts = {
    approveCredit: () => ({ approvalId: 3n, accountId: 7n, invoiceId: 0n, balanceCents: 100n }),
  };
  const line = ["admin", "approvals", "approve", "3"];
  expect((await runAgainst({ accounts }, line)).stdout).toBe(
    "Approved and done. The balance of account 7 is 1.00 EUR.\n",
  );
  expect(JSON.parse((await runAgainst({ accounts }, [...line, "--json"])).stdout)).toEqual({
    approval_id: 3,
    account_id: 7,
    balance: "1.00",
    repeated: false,
  });
});

it("admin approvals approve reports that nothing was done if it was booked before", async () => {
  const accounts = {
    approveCredit: () => ({ accountId: 7n, invoiceId: 12n, balanceCents: 100n, repeated: true }),
  };
  const { stdout } = await runAgainst({ accounts }, ["admin", "approvals", "approve", "3"]);
  expect(stdout).toBe("Nothing was done: it was booked before. The balance of account 7 is 1.00 EUR.\n");
});
