import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { accountReference } from "@hostledger/core";
import { camtFile, ownIban, type GivenPayment } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandAs, commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { itemsOf, objectOf, type JsonObject } from "../support/matchers.ts";
import { openCustomer } from "../support/staff-client.ts";

/** `audit reconcile` with differences planted at the bank and in the payment provider's list: each is found, and nothing else. */

const clock = virtualClock("2026-03-02T09:00:00.000000Z");
const [customersIban, anotherIban] = ["NL91ABNA0417164300", "DE75512108001245126199"];
const day = 86_400_000;
let instance: Instance;
const { path: files, remove } = temporaryDirectory();
/** The log signs its last events a moment later; each comparison reads all of it. */
const seldom = { everyMs: 5_000, limitMs: 30_000 };
const listFile = join(files, "list.json");

beforeAll(async () => {
  instance = await startInstance({ clock, environment: { HOSTLEDGER_BANK_IBAN: ownIban } });
});
afterAll(async () => {
  await instance.close();
  remove();
});

async function staff(...line: readonly string[]): Promise<JsonObject> {
  const { code, document, stderr } = await commandInProcess(instance, clock, ...line);
  if (code !== 0) throw new Error(`hostledger ${line.join(" ")} ends with ${String(code)}: ${stderr}`);
  return Array.isArray(document) ? { list: document } : objectOf(document);
}

let statements = 0;
let balanceCents = 0;
async function imported(...payments: readonly GivenPayment[]): Promise<void> {
  statements += 1;
  const file = join(files, `${String(statements)}.xml`);
  const opening = (balanceCents / 100).toFixed(2);
  writeFileSync(file, camtFile({ id: `S${String(statements)}`, day: "2026-03-02", opening, payments }));
  balanceCents += payments.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  await staff("bank", "import", file);
}

/** Opens a customer with 50.00 EUR by transfer. @returns the account's id */
async function customerByTransfer(name: string): Promise<string> {
  const { accountId } = await instance.staff.accounts.openAccount({ name });
  const creditorReference = accountReference(Number(accountId));
  await imported({ amount: "50.00", ref: `in-${String(accountId)}`, creditorReference, iban: customersIban });
  await eventually(clock, async () => {
    const account = await instance.staff.accounts.showAccount({ accountId });
    expect(account.balanceCents).toBe(5_000n);
  });
  return String(accountId);
}

/** Orders a payout of 20.00 EUR. @returns its reference */
async function payoutOf(name: string): Promise<string> {
  const to = ["--amount", "20.00", "--iban", customersIban, "--reason", name];
  return String((await staff("admin", "account", "payout", await customerByTransfer(name), ...to)).reference);
}

/** Has a new customer pay 50.00 EUR by card, and refunds 20.00 EUR. @returns the ids of the refund and its payment */
async function refund(): Promise<{ readonly refundId: string; readonly orderId: string }> {
  const customer = await openCustomer(instance.staff, instance.baseUrl, { name: "Card" });
  const { body } = await customer.post("/billing/topups", { amount: 50, method: "card" });
  const payment = String(objectOf(objectOf(body).topup).id);
  await eventually(clock, async () => {
    expect((await customer.get("/billing/balance")).body).toMatchObject({ balance: "50.00" });
  });
  const line = ["--payment", payment, "--amount", "20.00", "--reason", "Goodwill"];
  const { refund_id: id } = await staff("admin", "account", "refund", String(customer.accountId), ...line);
  const refundId = String(id);
  return { refundId, orderId: refundId.replace(/-refund-1$/u, "") };
}

const settlement = (orderId: string) => ({
  kind: "settlement",
  order_id: orderId,
  provider_reference: `sandbox-${orderId}`,
  amount: "50.00",
  fee: "1.00",
  at: "2026-03-02T09:30:00Z",
});
const refunded = ({ refundId, orderId }: Awaited<ReturnType<typeof refund>>) => ({
  ...settlement(orderId),
  kind: "refund",
  refund_id: refundId,
  provider_reference: `sandbox-${refundId}`,
  amount: "20.00",
  fee: "0.00",
});

/** Returns the differences as reconcile prints them, without the place of their events. */
function differencesIn(document: JsonObject): readonly string[] {
  return itemsOf(document.differences).map(({ cause, message }) => `${String(cause)}: ${String(message)}`);
}

/** Repeats a command while the audit log, which signs in real time, is some events behind: it then compares nothing. */
const answered = (run: () => ReturnType<typeof commandInProcess>): Promise<JsonObject> =>
  eventually(
    realTiming,
    async () => {
      const { document, stderr } = await run();
      if (document === undefined) throw new Error(stderr);
      return objectOf(document);
    },
    { limitMs: 60_000 },
  );

const reconcile = (...line: readonly string[]): Promise<JsonObject> =>
  answered(() => commandInProcess(instance, clock, "audit", "reconcile", ...line));

describe("audit reconcile of refunds and payouts", () => {
  const refunds: Awaited<ReturnType<typeof refund>>[] = [];
  const payouts: string[] = [];
  let planted: readonly string[];

  it("finds nothing while all is right", async () => {
    for (const name of ["right", "amount", "account", "twice", "lost"]) payouts.push(await payoutOf(name));
    await staff("bank", "payouts", "--output", join(files, "pain.xml"));
    payouts.push(await payoutOf("no file"));
    for (let count = 0; count < 4; count += 1) refunds.push(await refund());
    const [right = ""] = payouts;
    await imported({ amount: "-20.00", ref: "right", endToEndId: right, iban: customersIban });
    const movements = refunds.flatMap((one) => [settlement(one.orderId), refunded(one)]);
    writeList(movements);
    await eventually(
      clock,
      async () => {
        expect(await reconcile("--provider-list", listFile)).toMatchObject({
          differences: [],
          outside: { refunds: 4, payouts: 6, unexplained: 0, not_compared: [] },
        });
      },
      seldom,
    );
  });

  it("finds each planted difference and nothing else", async () => {
    const [, amount = "", account = "", twice = "", lost = "", noFile = ""] = payouts;
    await imported(
      { amount: "-20.10", ref: "amount", endToEndId: amount, iban: customersIban },
      { amount: "-20.00", ref: "account", endToEndId: account, iban: anotherIban },
      { amount: "-20.00", ref: "twice-1", endToEndId: twice, iban: customersIban },
      { amount: "-20.00", ref: "twice-2", endToEndId: twice, iban: customersIban },
      { amount: "-3.00", ref: "charges", text: "Charges of the bank" },
    );
    const [missing, wrong, doubled] = refunds;
    writeList(
      refunds.flatMap((one) => [
        settlement(one.orderId),
        ...(one === missing ? [] : [{ ...refunded(one), amount: one === wrong ? "21.00" : "20.00" }]),
        ...(one === doubled ? [refunded(one)] : []),
      ]),
      { ...settlement(""), kind: "refund", refund_id: "", provider_reference: "by-hand" },
    );
    clock.advance(8 * day);
    await clock.sleep(5_000);
    const entry = (number: number) => `${ownIban}/${String(number)}`;
    const first = 6 + 1 + 1;
    planted = [
      `${amount}: is paid over 2010 cents at the bank, with entry ${entry(first)}; ordered are 2000`,
      `${account}: is paid to another bank account than ordered, with entry ${entry(first + 1)}`,
      `${twice}: is paid twice at the bank, the second time with entry ${entry(first + 3)}`,
      `${lost}: is in the file ${await messageOf(lost)} for more than 7 days, and the bank did not book it`,
      `${noFile}: waits for a file for the bank for more than 7 days`,
      `${String(missing?.refundId)}: is refunded in the books, and not at sandbox`,
      `${String(wrong?.refundId)}: is refunded at sandbox over 2100 cents, ordered are 2000`,
      `${String(doubled?.refundId)}: is refunded twice at sandbox`,
      "by-hand: is refunded at sandbox, and nobody ordered it",
    ].sort();
    await eventually(
      clock,
      async () => {
        const found = await reconcile("--provider-list", listFile);
        expect([...differencesIn(found)].sort()).toEqual(planted);
        // The wrong amount, the second payment, and the bank's charges.
        expect(found.outside).toMatchObject({
          unexplained: 3,
          unexplained_amount: "43.10",
          not_compared: [],
        });
      },
      seldom,
    );
  });

  it("says what staff who may not open the bank's texts cannot compare", async () => {
    const { token } = await staff("admin", "staff", "add", "operator", "--role", "operator");
    const document = await answered(() => commandAs(String(token), instance, clock, "audit", "reconcile"));
    const sealed = [
      "the bank accounts that payouts went to, and payouts that the bank paid twice or over another amount",
      "the list of the payment provider sandbox",
    ];
    const found = objectOf(document);
    expect(itemsIn(objectOf(found.outside).not_compared)).toEqual(sealed);
    const [, amount = ""] = payouts;
    const named = `${amount}: is in the file ${await messageOf(amount)} for more than 7 days, and the bank did not book it`;
    const inLog = planted.filter((line) => line.includes("more than 7 days"));
    expect([...differencesIn(found)].sort()).toEqual([...inLog, named].sort());
  });

  it("compares an auditor's bundle without the instance, and says what is missing", async () => {
    const bundle = join(files, "bundle");
    await staff("audit", "export", bundle);
    const line = ["audit", "reconcile", bundle, "--provider-list", listFile, "--json"];
    const { code, stdout } = await hostledgerInProcess({}, ...line);
    expect(code).toBe(1);
    const found = objectOf(JSON.parse(stdout));
    const [, amount = ""] = payouts;
    const named = `${amount}: is in the file ${await messageOf(amount)} for more than 7 days, and the bank did not book it`;
    // What only the bank's sealed texts say is not among them.
    const inLog = planted.filter((line) => !/ entry /u.test(line));
    expect([...differencesIn(found)].sort()).toEqual([...inLog, named].sort());
    expect(itemsIn(objectOf(found.outside).not_compared)).toEqual([
      "the bank accounts that payouts went to, and payouts that the bank paid twice or over another amount",
      "the signatures and hashes of the bundle, which hostledger audit verify checks",
    ]);
  });
});

function writeList(movements: readonly object[], ...more: readonly object[]): void {
  const period = { name: "sandbox", from: "2026-02-27T00:00:00Z", to: "2026-03-31T00:00:00Z" };
  writeFileSync(listFile, JSON.stringify({ ...period, movements: [...movements, ...more] }));
}

async function messageOf(reference: string): Promise<string> {
  const { list } = await staff("bank", "payouts");
  return String(itemsOf(list).find((one) => one.reference === reference)?.message_id);
}

function itemsIn(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? [...list].sort() : [];
}
