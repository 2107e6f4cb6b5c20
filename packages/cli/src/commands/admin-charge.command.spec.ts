import { describe, expect, it } from "vitest";
import type { admin } from "@hostledger/protocol";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const back = { accountId: 7n, correctionId: 12n, amountCents: 1_050n, balanceCents: 5_000n };

describe("admin charge refund", () => {
  it.each([
    ["a part", ["--amount", "10.50"], 1_050n],
    ["all that is left", [], undefined],
  ])("returns %s", async (_what, options, amountCents) => {
    const requests: unknown[] = [];
    const accounts = {
      refundCharge: (request: {
        chargeOrInvoice: string;
        amountCents?: bigint | undefined;
        reason: string;
      }) => {
        requests.push([request.chargeOrInvoice, request.amountCents, request.reason]);
        return { ...back, repeated: requests.length > 2 };
      },
    };
    const line = ["admin", "charge", "refund", "2026-7-000042", ...options, "--reason", "Outage"];
    expect(JSON.parse((await runAgainst({ accounts }, [...line, "--json"])).stdout)).toEqual({
      account_id: 7,
      correction_id: 12,
      amount: "10.50",
      balance: "50.00",
      repeated: false,
    });
    expect((await runAgainst({ accounts }, line)).stdout).toBe(
      "10.50 EUR went back with correction 12. The balance of account 7 is 50.00 EUR.\n",
    );
    expect(await runAgainst({ accounts }, line)).toMatchObject({
      exitCode: 0,
      stdout:
        "Nothing was done: 10.50 EUR went back before for this reason, with correction 12. The balance of account 7 is 50.00 EUR.\n",
    });
    expect(requests).toEqual(Array(3).fill(["2026-7-000042", amountCents, "Outage"]));
  });

  it.each([
    ["no reason", ["2026-7-000042"]],
    ["an empty reason", ["2026-7-000042", "--reason", " "]],
    ["no charge", ["--reason", "Outage"]],
    ["an amount of nothing", ["2026-7-000042", "--amount", "0", "--reason", "Outage"]],
    ["an amount below zero", ["2026-7-000042", "--amount", "-1", "--reason", "Outage"]],
  ])("is wrong usage with %s", async (_what, line) => {
    expect(await runCommand(["admin", "charge", "refund", ...line])).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
  });
});

describe("admin charge list and show", () => {
  const charge = {
    chargeId: "registration-k3x7m2-1",
    accountId: 7n,
    invoiceId: 2n,
    invoiceNumber: "2026-7-000001",
    action: "purchase",
    grossCents: 1_190n,
    refundedCents: 190n,
    chargedAt: "2026-01-02T03:04:05.000006Z",
  };
  const document = {
    charge_id: "registration-k3x7m2-1",
    account_id: 7,
    invoice_id: 2,
    invoice_number: "2026-7-000001",
    action: "purchase",
    gross: "11.90",
    refunded: "1.90",
    left_to_refund: "10.00",
    charged_at: "2026-01-02T03:04:05.000006Z",
  };

  it("show the charges", async () => {
    const asked: unknown[] = [];
    const accounts = {
      listCharges: ({ accountId, page }: admin.ListChargesRequest) => {
        asked.push([accountId, page?.afterId, page?.limit]);
        return { charges: [charge] };
      },
    };
    const line = ["admin", "charge", "list"];
    expect(JSON.parse((await runAgainst({ accounts }, [...line, "--json"])).stdout)).toEqual([document]);
    const { stdout } = await runAgainst({ accounts }, [
      ...line,
      "--account",
      "7",
      "--after",
      "1",
      "--limit",
      "5",
    ]);
    expect(stdout).toContain("registration-k3x7m2-1        7   2  2026-7-000001  purchase  11.90      1.90");
    expect(asked).toEqual([
      [undefined, 0n, 1_000],
      [7n, 1n, 5],
    ]);
  });

  it("show the refunds", async () => {
    const invoice = { id: 9n, number: "2026-7-C000001", grossCents: -190n, createdAt: charge.chargedAt };
    const accounts = { showCharge: () => ({ charge, corrections: [{ invoice, reason: "Outage" }] }) };
    const line = ["admin", "charge", "show", charge.chargeId];
    expect(JSON.parse((await runAgainst({ accounts }, [...line, "--json"])).stdout)).toEqual({
      ...document,
      corrections: [
        {
          correction_id: 9,
          number: "2026-7-C000001",
          gross: "-1.90",
          reason: "Outage",
          created_at: charge.chargedAt,
        },
      ],
    });
    const { stdout } = await runAgainst({ accounts }, line);
    expect(stdout).toContain("2026-7-C000001  -1.90  2026-01-02T03:04:05Z  Outage\n");
  });
});
