import type { admin } from "@hostledger/protocol";
import { formatEuros } from "@hostledger/core";
import { describe, expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const ada = {
  accountId: 7n,
  name: "Ada",
  vatExempt: false,
  balanceCents: 1_234n,
  openedAt: "2026-01-02T03:04:05.000006Z",
};

const adaDocument = {
  account_id: 7,
  name: "Ada",
  balance: "12.34",
  in_debt: false,
  vat_exempt: false,
  opened_at: "2026-01-02T03:04:05.000006Z",
  erased_at: null,
};

describe("admin account open", () => {
  it.each([
    [[], false],
    [["--vat-exempt"], true],
  ])("opens an account, with %j", async (flags, vatExempt) => {
    const requests: unknown[] = [];
    const implementation = {
      accounts: {
        openAccount: (request: { name: string; vatExempt: boolean }) => {
          requests.push({ name: request.name, vatExempt: request.vatExempt });
          return { accountId: 7n };
        },
      },
    };
    const line = ["admin", "account", "open", "--name", "Ada", ...flags];
    expect(await runAgainst(implementation, line)).toEqual({
      exitCode: 0,
      stdout: "Account 7 is open.\n",
      stderr: "",
    });
    const json = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ account_id: 7 });
    expect(requests).toEqual([
      { name: "Ada", vatExempt },
      { name: "Ada", vatExempt },
    ]);
  });

  it.each([[[]], [["--name"]], [["--name", " "]]])("is wrong usage with %j", async (flags) => {
    expect(await runCommand(["admin", "account", "open", ...flags])).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
  });
});

describe("admin account erase", () => {
  const implementation = {
    accounts: {
      eraseAccount: ({ accountId }: { accountId: bigint }) => ({
        accountId,
        erasedAt: ada.openedAt,
        keyDestroyed: true,
        apiKeysRevoked: 2,
        documentsKept: 3,
        documentsKeptUntil: 2034,
        postingsKeptUntil: 2036,
      }),
    },
  };
  const line = ["admin", "account", "erase", "7"];

  it("asks for a confirmation if nothing else prevents it", async () => {
    const accounts = {
      showAccount: () => ({ accountId: 7n, balanceCents: 0n }),
    };
    const { exitCode, stdout, stderr } = await runAgainst({ accounts }, line);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("--yes");
  });

  it("hands on that it is forced", async () => {
    const asked: unknown[] = [];
    const accounts = {
      ...implementation.accounts,
      eraseAccount({ accountId, force }: admin.EraseAccountRequest) {
        asked.push(force);
        return implementation.accounts.eraseAccount({ accountId });
      },
    };
    await runAgainst({ accounts }, [...line, "--yes"]);
    await runAgainst({ accounts }, [...line, "--yes", "--force"]);
    expect(asked).toEqual([false, true]);
  });

  it("pays the balance out on request, and needs no other confirmation", async () => {
    const asked: unknown[] = [];
    const accounts = {
      eraseAccount({ accountId, settle, iban }: admin.EraseAccountRequest) {
        asked.push([settle, iban]);
        const paid = { payoutReference: "k3x7m2-P1", paidOutCents: 2_000n };
        return { ...implementation.accounts.eraseAccount({ accountId }), ...paid };
      },
    };
    const { exitCode, stdout } = await runAgainst({ accounts }, [...line, "--settle"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("20.00 EUR as k3x7m2-P1, which waits: hostledger bank payouts");
    const named = [...line, "--settle", "--iban", "NL91ABNA0417164300", "--json"];
    const json = await runAgainst({ accounts }, named);
    expect(JSON.parse(json.stdout)).toMatchObject({ payout: "k3x7m2-P1", paid_out: "20.00" });
    expect(asked).toEqual([
      [true, ""],
      [true, "NL91ABNA0417164300"],
    ]);
  });

  it("lists the destroyed data", async () => {
    const { stdout } = await runAgainst(implementation, [...line, "--yes"]);
    expect(stdout).toContain("key destroyed     yes\nAPI keys revoked  2\n");
    expect(stdout).toContain("3, until the end of 2034; only the role finance and tax exports open them");
    expect(stdout).toContain("until the end of 2036, under the account's number");
    const json = await runAgainst(implementation, [...line, "--yes", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      account_id: 7,
      erased_at: ada.openedAt,
      key_destroyed: true,
      api_keys_revoked: 2,
      documents_kept: 3,
      documents_kept_until: 2034,
      postings_kept_until: 2036,
      repeated: false,
    });
  });
});

describe("admin account key-lost", () => {
  const line = ["admin", "account", "key-lost", "7"];

  it("shows since when the texts are unreadable", async () => {
    const implementation = {
      accounts: {
        declareKeyLost: ({ accountId }: { accountId: bigint }) => ({
          accountId,
          erasedAt: ada.openedAt,
          apiKeysRevoked: 2,
        }),
      },
    };
    const { stdout } = await runAgainst(implementation, line);
    expect(stdout).toContain("API keys revoked  2\n");
    const json = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      account_id: 7,
      erased_at: ada.openedAt,
      api_keys_revoked: 2,
      repeated: false,
    });
  });
});

describe("admin account vat-exempt", () => {
  it.each([
    ["--on", true],
    ["--off", false],
  ])("sets it with %s and answers the updated account", async (flag, vatExempt) => {
    let exempt = !vatExempt;
    const implementation = {
      accounts: {
        setVatExemption: (request: { accountId: bigint; vatExempt: boolean }) => {
          exempt = request.vatExempt;
          return { accountId: request.accountId, vatExempt: exempt };
        },
        showAccount: () => ({ ...ada, vatExempt: exempt }),
      },
    };
    const line = ["admin", "account", "vat-exempt", "7", flag];
    const { stdout } = await runAgainst(implementation, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      ...adaDocument,
      debt_since: null,
      debt_reminders: 0,
      vat_exempt: vatExempt,
      repeated: false,
    });
    const human = await runAgainst(implementation, line);
    expect(human.stdout).toContain(`VAT exempt   ${vatExempt ? "yes" : "no"}\n`);
  });

  it.each([[[]], [["--on", "--off"]]])("is wrong usage with %j", async (flags) => {
    expect(await runCommand(["admin", "account", "vat-exempt", "7", ...flags])).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
  });
});

describe("admin account top-up", () => {
  const line = ["admin", "account", "top-up", "7", "--reference", "R", "--amount"];

  it.each([
    ["100.00", 10_000n],
    ["100", 10_000n],
    ["0.1", 10n],
    ["90071992.41", 9_007_199_241n],
  ])("credits exactly %s", async (amount, cents) => {
    const requests: unknown[] = [];
    const implementation = {
      accounts: {
        topUpAccount: (request: { accountId: bigint; amountCents: bigint; reference: string }) => {
          requests.push([request.accountId, request.amountCents, request.reference]);
          return { invoiceId: 5n, balanceCents: 9_007_199_241n, repeated: requests.length > 2 };
        },
      },
    };
    const json = await runAgainst(implementation, [...line, amount, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      invoice_id: 5,
      balance: "90071992.41",
      repeated: false,
    });
    const human = await runAgainst(implementation, [...line, amount]);
    expect(human.stdout).toBe(
      `${formatEuros(cents)} EUR credited with receipt 5. The balance is 90071992.41 EUR.\n`,
    );
    const again = await runAgainst(implementation, [...line, amount]);
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: "Nothing was done: R was credited before, with receipt 5. The balance is 90071992.41 EUR.\n",
    });
    expect(requests).toEqual(Array(3).fill([7n, cents, "R"]));
  });

  it.each(["0", "0.00", "-5", "+5", "1.234", "1,50", "1e3", "", "ten", "1000000000.01"])(
    "is wrong usage for the amount %j",
    async (amount) => {
      const outcome = await runCommand([...line, amount]);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
      expect(outcome.stderr).toContain("--amount <euros>");
    },
  );

  it("is wrong usage without a reference", async () => {
    expect(await runCommand(["admin", "account", "top-up", "7", "--amount", "1"])).toMatchObject({
      exitCode: 2,
    });
  });
});

describe("admin account credit, debit and reverse-top-up", () => {
  const because = ["--reference", "R", "--reason", "Outage"];

  it.each([
    ["credit", 1_050n, "10.50 EUR credited to account 7."],
    ["debit", -1_050n, "10.50 EUR debited from account 7."],
  ])("%s moves exactly the amount, for a reason", async (name, amountCents, sentence) => {
    const requests: unknown[] = [];
    const accounts = {
      adjustBalance: (request: {
        accountId: bigint;
        amountCents: bigint;
        reference: string;
        reason: string;
      }) => {
        requests.push([request.accountId, request.amountCents, request.reference, request.reason]);
        return { balanceCents: 5_000n, repeated: requests.length > 2 };
      },
    };
    const line = ["admin", "account", name, "7", "--amount", "10.50", ...because];
    expect(JSON.parse((await runAgainst({ accounts }, [...line, "--json"])).stdout)).toEqual({
      account_id: 7,
      reference: "R",
      balance: "50.00",
      repeated: false,
    });
    expect((await runAgainst({ accounts }, line)).stdout).toBe(`${sentence} The balance is 50.00 EUR.\n`);
    expect(await runAgainst({ accounts }, line)).toMatchObject({
      exitCode: 0,
      stdout: "Nothing was done: R was booked before. The balance is 50.00 EUR.\n",
    });
    expect(requests[0]).toEqual([7n, amountCents, "R", "Outage"]);
  });

  it.each([
    [
      ["debit", "--amount", "10.50"],
      [false, true],
    ],
    [["reverse-top-up"], [false, true]],
  ])("%j allows a debt if requested", async ([name = "", ...amount], expected) => {
    const allowed: boolean[] = [];
    const answer = ({ allowDebt }: { allowDebt: boolean }) => {
      allowed.push(allowDebt);
      return { balanceCents: -50n };
    };
    const accounts = { adjustBalance: answer, reverseTopUp: answer };
    const line = ["admin", "account", name, "7", ...amount, ...because];
    for (const more of [[], ["--allow-debt"]]) {
      const { stdout } = await runAgainst({ accounts }, [...line, ...more]);
      expect(stdout).toMatch(/The balance is -0\.50 EUR\.\n$/u);
    }
    expect(allowed).toEqual(expected);
  });

  it("reverses a payment by its reference", async () => {
    const accounts = {
      reverseTopUp: ({
        accountId,
        reference,
        reason,
      }: {
        accountId: bigint;
        reference: string;
        reason: string;
      }) => {
        expect([accountId, reference, reason]).toEqual([7n, "R", "Outage"]);
        return { balanceCents: 0n };
      },
    };
    const line = ["admin", "account", "reverse-top-up", "7", ...because, "--json"];
    expect(JSON.parse((await runAgainst({ accounts }, line)).stdout)).toMatchObject({ balance: "0.00" });
  });

  it.each([
    ["credit", "7", "--amount", "-1", ...because],
    ["credit", "7", "--amount", "1", "--allow-debt", ...because],
    ["debit", "7", "--amount", "0", ...because],
    ["debit", "7", "--amount", "1", "--reference", "R"],
    ["credit", "7", "--amount", "1", "--reason", "T"],
    ["reverse-top-up", "7", "--reference", "R"],
    ["reverse-top-up", ...because],
  ])("is wrong usage: %s %s %s %s", async (...line) => {
    expect(await runCommand(["admin", "account", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
