import { describe, expect, it } from "vitest";
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
