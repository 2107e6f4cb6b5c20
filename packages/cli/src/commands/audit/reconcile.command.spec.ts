import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";
import { runAsAuditor, runAudit } from "../../testing/audit-server.ts";
import { eventsOf, noteOf, registered, rightInstance, shownAccount } from "../../testing/audited-log.ts";
import { runCommand } from "../../testing/run-command.ts";

const unfinished = eventsOf(registered.slice(0, 6));

describe("audit reconcile", () => {
  it("shows that nothing differs, as staff and as an auditor", async () => {
    const outcome = await runAudit(rightInstance(), ["reconcile"]);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
    expect(outcome.stdout).toBe(
      [
        "Reconciled 8 events of 1 account: nothing differs.",
        "1 charge: 1 delivered, 0 refunded, 0 whose runs are unfinished.",
        "",
        "SUMS IN EUR              BOOKS  OTHER SIDE  DIFFERENCE",
        "payments and receipts    20.00       20.00        0.00",
        "charges and invoices     10.00       10.00        0.00",
        "refunds and corrections   0.00        0.00        0.00",
        "balances and read model  10.00       10.00        0.00",
        "",
      ].join("\n"),
    );
    expect(await runAsAuditor(rightInstance(), ["reconcile"])).toEqual(outcome);
  });

  it("compares the list of a payment provider, which finds a payment whose webhook was lost", async () => {
    const path = join(directoryOfTest(), "list.json");
    const movement = {
      kind: "settlement",
      order_id: "payment-lost",
      provider_reference: "pi_1",
      amount: "20.00",
      fee: "0.55",
      at: "2026-03-01T09:00:00Z",
    };
    const period = { name: "stripe", from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z" };
    const reconcileWith = (list: unknown) => {
      writeFileSync(path, JSON.stringify(list));
      return runAudit(rightInstance(), ["reconcile", "--provider-list", path]);
    };
    expect(await reconcileWith({ ...period, movements: [] })).toMatchObject({ exitCode: 0 });
    const found = await reconcileWith({ ...period, movements: [movement] });
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain("books-provider: pi_1: is settled by stripe, and nobody asked for it\n");
    for (const [list, words] of [
      [{ ...period, movements: [{ ...movement, amount: "20" }] }, "movements.0.amount: must be euros"],
      [{ ...period, movements: [{ ...movement, kind: "refund" }] }, "movements.0.refund_id: must be there"],
      [{ ...period, movements: [{ ...movement, refund_id: "r" }] }, "movements.0.refund_id: must be there"],
      [{ ...period, movements: [{ ...movement, kind: "fee" }] }, "movements.0.kind"],
      [{ ...period, name: "Stripe!", movements: [] }, "name: must be the name"],
      [{ ...period, movements: [{ ...movement, at: "yesterday" }] }, "movements.0.at"],
      ["no list", "is no list of a payment provider"],
    ] as const) {
      const refused = await reconcileWith(list);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(words);
    }
    writeFileSync(path, "no JSON");
    const broken = await runAudit(rightInstance(), ["reconcile", "--provider-list", path]);
    expect(broken).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("is no list of a payment provider"),
    });
  });

  it("compares refunds and payouts of the list, which nobody ordered", async () => {
    const path = join(directoryOfTest(), "list.json");
    const movement = { order_id: "", amount: "20.00", fee: "0.00", at: "2026-02-01T09:00:00Z" };
    const movements = [
      { ...movement, kind: "refund", refund_id: "", provider_reference: "re_1" },
      { ...movement, kind: "refund-return", refund_id: "payment-x-refund-1", provider_reference: "re_2" },
      { ...movement, kind: "payout", provider_reference: "po_1" },
    ];
    const period = { name: "stripe", from: "2026-02-01T00:00:00Z", to: "2026-03-02T00:00:00Z" };
    writeFileSync(path, JSON.stringify({ ...period, movements }));
    const { exitCode, stdout } = await runAudit(rightInstance(), ["reconcile", "--provider-list", path]);
    expect(exitCode).toBe(1);
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "books-provider: re_1: is refunded at stripe, and nobody ordered it",
      "books-provider: payment-x-refund-1: came back at stripe, and nobody ordered it",
      "books-provider: po_1: is paid out by stripe over 2000 cents for more than 7 days, and no entry of the bank is matched to it",
    ]);
  });

  it("compares a bundle without an instance, and says what it did not compare", async () => {
    const path = join(directoryOfTest(), "bundle");
    expect(await runAudit(rightInstance(), ["export", path])).toMatchObject({ exitCode: 0 });
    const checked = "the signatures and hashes of the bundle, which hostledger audit verify checks";
    const outcome = await runCommand(["audit", "reconcile", path]);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
    expect(outcome.stdout).toContain("Reconciled 8 events of 1 account: nothing differs.\n");
    expect(outcome.stdout).toContain(`Not compared: ${checked}.\n`);
    expect(outcome.stdout).toContain("balances and read model  10.00       10.00        0.00\n");
    rmSync(join(path, "balances.json"));
    const { stdout } = await runCommand(["audit", "reconcile", path, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      difference_count: 0,
      outside: { not_compared: ["the balances that the instance shows", checked] },
    });
    const named = await runCommand(["audit", "reconcile", path, "--admin-url", "http://127.0.0.1:1"]);
    expect(named).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("leave --admin-url out, or leave out the bundle instead"),
    });
    expect(await runCommand(["audit", "reconcile", `${path}-none`])).toMatchObject({
      exitCode: 1,
      stderr: `There is no bundle at ${path}-none.\n`,
    });
  });

  it("prints the differences of a bundle, and compares nothing of a bundle that lacks an event", async () => {
    const path = join(directoryOfTest(), "bundle");
    const undelivered = eventsOf(registered.filter(([, type]) => type !== "DomainRegistered.v1"));
    const instance = rightInstance({ events: () => undelivered, note: noteOf(undelivered) });
    expect(await runAudit(instance, ["export", path])).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout, stderr } = await runCommand(["audit", "reconcile", path]);
    expect([exitCode, stderr]).toEqual([1, "1 difference.\n"]);
    expect(stdout).toContain("registration-1: ended as delivered, and no event tells what was delivered\n");
    const entries = join(path, "tile", "entries", "000.p", "7");
    writeFileSync(entries, readFileSync(entries).subarray(0, -1));
    expect(await runCommand(["audit", "reconcile", path])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "Event 6 of the bundle cannot be read, so nothing was compared: see hostledger audit verify.\n",
    });
  });

  it("lists unfinished runs apart, which are no difference", async () => {
    const instance = rightInstance({ events: () => unfinished, note: noteOf(unfinished) });
    const { exitCode, stdout } = await runAudit(instance, ["reconcile"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("1 charge: 0 delivered, 0 refunded, 1 whose runs are unfinished.\n");
    expect(stdout).toMatch(/^registration-1 +7 +running +10\.00 +0\.00 +2026-03-01T10:00:00Z$/mu);
    const json = await runAudit(instance, ["reconcile", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      size: 6,
      accounts: 1,
      charges: { charged: 1, delivered: 0, refunded: 0, unfinished: 1 },
      sums: [
        { pair: "payments and receipts", books: "20.00", other: "20.00" },
        { pair: "charges and invoices", books: "10.00", other: "10.00" },
        { pair: "refunds and corrections", books: "0.00", other: "0.00" },
        { pair: "balances and read model", books: "10.00", other: "10.00" },
      ],
      difference_count: 0,
      differences: [],
      unfinished: [
        {
          charge_id: "registration-1",
          account_id: 7,
          gross: "10.00",
          refunded: "0.00",
          state: "running",
          charged_at: "2026-03-01T10:00:00.000004Z",
          index: 4,
        },
      ],
      outside: {
        statements: 0,
        bank_entries: 0,
        waiting: 0,
        waiting_amount: "0.00",
        unexplained: 0,
        unexplained_amount: "0.00",
        payments: 0,
        refunds: 0,
        payouts: 0,
        not_compared: [],
      },
    });
  });

  it("prints a line for each difference, with exit code 1", async () => {
    const undelivered = eventsOf(registered.filter(([, type]) => type !== "DomainRegistered.v1"));
    const instance = rightInstance({
      events: () => undelivered,
      note: noteOf(undelivered),
      shown: () => [shownAccount(999n, 4)],
    });
    const lines = [
      "charges-deliveries: event 4 account-7@3 (BalanceCharged.v1), account 7, registration-1: " +
        "ended as delivered, and no event tells what was delivered",
      "books-read-model: account 7: the books have 1000 cents, the read model shows 999 cents",
    ];
    const outcome = await runAudit(instance, ["reconcile"]);
    expect(outcome).toMatchObject({ exitCode: 1, stderr: "2 differences.\n" });
    expect(outcome.stdout.split("\n").slice(0, 2)).toEqual(lines);
    expect(outcome.stdout).toContain("balances and read model  10.00        9.99        0.01\n");
    const json = await runAudit(instance, ["reconcile", "--json"]);
    expect(json).toMatchObject({ exitCode: 1, stderr: "2 differences.\n" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      difference_count: 2,
      differences: [
        { sides: "charges-deliveries", account_id: 7, cause: "registration-1", index: 4, line: lines[0] },
        { sides: "books-read-model", account_id: 7, cause: null, index: null, event: null, line: lines[1] },
      ],
    });
  });

  it("refuses an instance that returns only some of its events", async () => {
    const short = rightInstance({ events: () => unfinished });
    expect(await runAudit(short, ["reconcile"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "The instance gave 6 of the 8 events of its log.\n",
    });
  });

  it("reports that it is behind instead of checking a part of the books", async () => {
    const behind = rightInstance({ note: noteOf(unfinished) });
    expect(await runAudit(behind, ["reconcile"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^The audit log is behind: its last checkpoint signs 6 of its 8 events, and later events were not checked\./,
      ),
    });
  });

  it("waits for a checkpoint that covers the present events", async () => {
    const behind = rightInstance({ note: noteOf(unfinished) });
    const whole = rightInstance();
    let asked = 0;
    const signing = {
      ...behind,
      getCheckpoint: (...call: Parameters<NonNullable<typeof whole.getCheckpoint>>) =>
        ((asked += 1) < 3 ? behind : whole).getCheckpoint?.(...call) ?? {},
    };
    const { exitCode, stdout } = await runAudit(signing, ["reconcile"]);
    expect([exitCode, asked]).toEqual([0, 3]);
    expect(stdout).toMatch(/^Reconciled 8 events of 1 account: nothing differs\.$/mu);
  });

  it("exits with 2 for invalid input, and with 3 if nothing listens", async () => {
    expect(await runCommand(["audit", "reconcile", "bundle", "surplus"])).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
    const environment = { HOSTLEDGER_ADMIN_TOKEN: "staff-token-of-the-spec" };
    const line = ["audit", "reconcile", "--admin-url", "http://127.0.0.1:1"];
    expect(await runCommand(line, environment)).toMatchObject({ exitCode: 3, stdout: "" });
  });
});
