import { readFileSync } from "node:fs";
import { join } from "node:path";

import { accountReference } from "@hostledger/core";
import { ownIban, type GivenPayment } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bankFiles } from "../support/bank-files.ts";
import { commandInProcess, textInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { postingsIn } from "../support/tax-year/tax-year.books.ts";

/** What waits on the suspense account goes to a customer, another customer, or back, beside payouts; the books agree each time. */

const customersIban = "NL91ABNA0417164300";
let instance: Instance;
const files = bankFiles(() => instance);
const { path: directory, remove } = temporaryDirectory();
beforeAll(async () => {
  instance = await startInstance({ environment: { HOSTLEDGER_BANK_IBAN: ownIban } });
});
afterAll(async () => {
  await instance.close();
  files.remove();
  remove();
});

const command = (...line: readonly string[]) => commandInProcess(instance, realTiming, ...line);
const balanceOf = async (accountId: bigint) =>
  (await instance.staff.accounts.showAccount({ accountId })).balanceCents;
const openAccount = async () => (await instance.staff.accounts.openAccount({ name: "Ada" })).accountId;

let statements = 0;
let opening = 0;
/** Imports payments as the next statement. @returns the entries' numbers by their references */
async function imported(...payments: readonly GivenPayment[]): Promise<ReadonlyMap<string, string>> {
  statements += 1;
  const given = { id: `S${String(statements)}`, opening: (opening / 100).toFixed(2), payments };
  expect(await files.import(given)).toMatchObject({ code: 0 });
  opening += payments.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  const { document } = await command("bank", "list", "--limit", "1000");
  return new Map(itemsOf(document).map(({ bank_reference: ref, id }) => [String(ref), String(id)]));
}

/** Returns an account with 50.00 EUR by transfer, and its entry. */
async function funded(ref: string) {
  const accountId = await openAccount();
  const creditorReference = accountReference(Number(accountId));
  const entries = await imported({ amount: "50.00", ref, creditorReference, iban: customersIban });
  await expect.poll(() => balanceOf(accountId)).toBe(5_000n);
  return { accountId, entry: entries.get(ref) ?? "" };
}

function payout(accountId: bigint, amount: string, reason: string) {
  const order = ["--amount", amount, "--iban", customersIban, "--reason", reason];
  return command("admin", "account", "payout", String(accountId), ...order);
}

/** Returns the cents of an account in the journal. */
async function journalOf(account: string): Promise<number> {
  const file = join(directory, "books.csv");
  const line = ["audit", "journal", "--format", "csv", "--output", file];
  expect(await textInProcess(instance, realTiming, ...line)).toMatchObject({ code: 0 });
  return postingsIn(readFileSync(file, "utf8"))
    .map((posting) => posting.split(" ").slice(-2))
    .filter(([name]) => name === account)
    .reduce((sum, [, amount]) => sum + Math.round(Number(amount) * 100), 0);
}

describe("a payment of which a part was paid out", () => {
  it("is moved to another customer whole, and the first customer owes what was paid out", async () => {
    const { accountId, entry } = await funded("moved");
    const right = await openAccount();
    expect(await payout(accountId, "20.00", "moved")).toMatchObject({ code: 0 });
    const moved = await command("bank", "reassign", entry, String(right), "--reason", "Wrong customer");
    expect(moved).toMatchObject({ code: 0, document: { balance: "50.00" } });
    expect([await balanceOf(accountId), await balanceOf(right)]).toEqual([-2_000n, 5_000n]);
    // The payout was ordered and still goes out; another one is refused.
    expect((await payout(accountId, "1.00", "more")).code).toBe(1);
    const back = await command("bank", "reassign", entry, String(accountId), "--reason", "Right after all");
    expect(back).toMatchObject({ code: 0, document: { balance: "30.00" } });
    expect([await balanceOf(accountId), await balanceOf(right)]).toEqual([3_000n, 0n]);
  });
});

describe("a payment that goes back to its payer", () => {
  it("is in no file of payouts, is sent once, and empties the suspense account", async () => {
    const before = await journalOf("Liabilities:Suspense");
    const entry =
      (await imported({ amount: "9.00", ref: "wrong", text: "Wrong company" })).get("wrong") ?? "";
    const list = async (status: string) =>
      itemsOf((await command("bank", "list", "--status", status, "--limit", "1000")).document).filter(
        ({ id }) => String(id) === entry,
      );
    expect([(await list("parked")).length, (await list("returned")).length]).toEqual([1, 0]);
    const { accountId } = await funded("beside");
    expect(await payout(accountId, "9.00", "beside")).toMatchObject({ code: 0 });
    const returned = await command("bank", "return", entry, "--reason", "Of another company");
    expect(returned).toMatchObject({ code: 0 });
    expect([(await list("parked")).length, (await list("returned")).length]).toEqual([0, 1]);
    expect((await command("bank", "return", entry, "--reason", "Twice")).code).toBe(0);
    for (const line of [
      ["match", entry, String(accountId)],
      ["match", entry, "--provider", "sandbox"],
    ])
      expect((await command("bank", ...line)).code).toBe(1);
    const path = join(directory, "pain.xml");
    await command("bank", "payouts", "--output", path);
    // The payout of 9.00, and the one of the test before.
    expect(readFileSync(path, "utf8").match(/<InstdAmt Ccy="EUR">9\.00</gu)).toHaveLength(1);
    await imported({ amount: "-9.00", ref: "sent-back", text: "Sent back" });
    expect(await journalOf("Liabilities:Suspense")).toBe(before);
  });

  it("cannot be one that a customer has, a payout that the bank returned, or money that left", async () => {
    const { accountId, entry } = await funded("kept");
    const ordered = await payout(accountId, "20.00", "kept");
    const endToEndId = String(objectOf(ordered.document).reference);
    await command("bank", "payouts", "--output", join(directory, "pain-2.xml"));
    const entries = await imported(
      { amount: "-20.00", ref: "out", endToEndId, iban: customersIban },
      { amount: "20.00", ref: "came-back", endToEndId, returnCode: "AC04" },
    );
    await expect.poll(() => balanceOf(accountId)).toBe(5_000n);
    for (const number of [entry, entries.get("out"), entries.get("came-back"), "99999"])
      expect((await command("bank", "return", String(number), "--reason", "No")).code).toBe(1);
    for (const number of [entries.get("out"), entries.get("came-back")]) {
      expect((await command("bank", "match", String(number), String(accountId))).code).toBe(1);
      const move = ["reassign", String(number), String(accountId), "--reason", "No"];
      expect((await command("bank", ...move)).code).toBe(1);
    }
    expect(await balanceOf(accountId)).toBe(5_000n);
    const { document } = await command("bank", "list", "--status", "payout-returned", "--limit", "100");
    expect(itemsOf(document).map(({ id }) => String(id))).toEqual([entries.get("came-back")]);
    expect(await journalOf("Liabilities:PayoutsOrdered")).toBe(-2_000 - 900);
  });
});

it("the books agree with the bank in the end", async () => {
  const found = await eventually(
    realTiming,
    async () => {
      const { document, stderr } = await command("audit", "reconcile");
      if (document === undefined) throw new Error(stderr);
      return objectOf(document);
    },
    { limitMs: 30_000 },
  );
  expect(found).toMatchObject({ differences: [], outside: { unexplained: 0 } });
});
