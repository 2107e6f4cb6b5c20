import { describe, expect, it } from "vitest";

import { createBooks, instantAt, open, pay, takeBack, textOf, type Books } from "../books.fixture.ts";
import { datevColumns } from "./datev-columns.ts";
import { datevBreaches } from "./datev-rules.fixture.ts";
import { DatevError } from "./datev-format.ts";
import { accountName } from "./journal-accounts.ts";
import { journalEntries } from "./journal-entries.ts";
import {
  bankEntry,
  bookAtBank,
  firstIban,
  moneyBooks,
  payOut,
  requestPayment,
  secondIban,
  settlePayment,
} from "./journal.fixture.ts";
import type { JournalPeriod, Transaction } from "./transaction.ts";
import { writeJournal, type JournalFormat } from "./write-journal.ts";

async function transactionsOf(
  { events }: Books,
  period: JournalPeriod = {},
): Promise<readonly Transaction[]> {
  const transactions: Transaction[] = [];
  for await (const entry of journalEntries(events, period))
    if (entry.kind === "transaction") transactions.push(entry.transaction);
  return transactions;
}

function closing(transactions: readonly Transaction[]): Readonly<Record<string, number>> {
  const balances: Record<string, number> = {};
  for (const { account, amountCents } of transactions.flatMap(({ postings }) => postings)) {
    const name = accountName(account);
    balances[name] = (balances[name] ?? 0) + Number(amountCents);
  }
  return Object.fromEntries(Object.entries(balances).filter(([, cents]) => cents !== 0));
}

const postedBy = ({ day, kind, payee, postings }: Transaction) => [
  day,
  kind,
  payee,
  Object.fromEntries(postings.map(({ account, amountCents }) => [accountName(account), Number(amountCents)])),
];

/** Sums of `moneyBooks`, by hand. */
const byHand = {
  "Assets:Bank": 10_000, // staff typed 1000 more, which the provider has
  [`Assets:Bank:${firstIban}`]: 7_000, // 5000 + 700 - 120, and the provider's 1500 - 80
  [`Assets:Bank:${secondIban}`]: 300,
  "Assets:PSP:Sandbox": 1_505, // 2000 + 4000 + 1000 - 4000 - 3 × 25 - 1500 + 80
  "Expenses:PaymentFees": 75,
  "Liabilities:Suspense": -580, // nobody's 700, and 120 that left
  "Liabilities:Customers:7": -15_000, // 10000 + 5000
  "Liabilities:Customers:8": -2_110, // 300 + 2000 + 1000 - 1190
  "Income:Domains": -1_000,
  "Liabilities:VAT": -190,
};

describe("money at the bank and at a provider", () => {
  it("is booked once: against the suspense account, and from there to the customer", async () => {
    expect(closing(await transactionsOf(moneyBooks()))).toEqual(byHand);
  });

  it("has the days of the bank and of the provider", async () => {
    const found = (await transactionsOf(moneyBooks())).map(postedBy);
    const suspense = "Liabilities:Suspense";
    expect(found).toContainEqual([
      "2026-01-02",
      "bank",
      `Bank ${firstIban}`,
      { [`Assets:Bank:${firstIban}`]: 5_000, [suspense]: -5_000 },
    ]);
    expect(found).toContainEqual([
      "2026-01-04",
      "payment",
      "Account 7",
      { [suspense]: 5_000, "Liabilities:Customers:7": -5_000 },
    ]);
    expect(found).toContainEqual([
      "2026-01-09",
      "settlement",
      "PSP sandbox",
      { "Assets:PSP:Sandbox": 1_975, "Expenses:PaymentFees": 25, [suspense]: -2_000 },
    ]);
    expect(found).toContainEqual([
      "2026-01-10",
      "chargeback",
      "PSP sandbox",
      { "Assets:PSP:Sandbox": -4_000, [suspense]: 4_000 },
    ]);
    expect(found).toContainEqual([
      "2026-01-12",
      "payout",
      "PSP sandbox",
      { "Assets:PSP:Sandbox": -1_500, [suspense]: 1_500 },
    ]);
    // Staff typed the payment before: the bank that they named gives it to the provider.
    expect(found).toContainEqual([
      "2026-01-09",
      "settlement",
      "PSP sandbox",
      { "Assets:PSP:Sandbox": 975, "Expenses:PaymentFees": 25, "Assets:Bank": -1_000 },
    ]);
  });

  it("has opening balances of every bank account and provider", async () => {
    const transactions = await transactionsOf(moneyBooks(), { from: "2026-02-01" });
    expect(closing(transactions)).toEqual(byHand);
    expect(transactions.map(({ kind, payee }) => `${kind} ${payee}`)).toEqual(
      ["Account 7", `Bank ${firstIban}`, `Bank ${secondIban}`, "Account 8", "PSP sandbox"].map(
        (payee) => `opening ${payee}`,
      ),
    );
  });

  it("of a month is the same before and after entries of that month are imported late, except for those", async () => {
    const january = { from: "2026-01-01", to: "2026-01-31" };
    const books = moneyBooks();
    books.command(9, instantAt(50 * 86_400_000_000), open(9, "Later"));
    const before = await transactionsOf(books, january);
    bookAtBank(books, instantAt(60 * 86_400_000_000), bankEntry(4, 900n, "2026-01-31"));
    const after = await transactionsOf(books, january);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ day: "2026-01-31", kind: "bank" });
    const customers = [];
    for await (const entry of journalEntries(books.events, january))
      if (entry.kind === "customer") customers.push(entry.accountId);
    expect(customers).toEqual([7, 8]);
  });

  it("of a payment by transfer comes from the bank's entry only", async () => {
    const books = createBooks();
    const reference = `bank ${firstIban}/1`;
    const ids = { paymentId: 1, accountId: 7 };
    books.command(7, instantAt(0), open(7));
    bookAtBank(books, instantAt(1), bankEntry(1, 500n, "2026-01-01"));
    books.store("payment-t", instantAt(1), "PaymentSettled.v1", {
      ...ids,
      amountCents: "500",
      feeCents: "0",
      providerReference: reference,
      valueDate: "2026-01-01",
      settledAt: instantAt(1),
    });
    books.command(7, instantAt(2), pay(reference, 500n));
    expect(closing(await transactionsOf(books))).toEqual({
      [`Assets:Bank:${firstIban}`]: 500,
      "Liabilities:Customers:7": -500,
    });
    books.store("payment-t", instantAt(3), "PaymentReturned.v1", {
      ...ids,
      amountCents: "500",
      reason: "Wrong account",
      valueDate: "2026-01-01",
      returnedAt: instantAt(3),
    });
    books.command(7, instantAt(3), takeBack(reference));
    expect(closing(await transactionsOf(books))).toEqual({
      [`Assets:Bank:${firstIban}`]: 500,
      "Liabilities:Suspense": -500,
    });
  });

  it("of a chargeback after a refund in full is no transaction", async () => {
    const books = createBooks();
    const paid = { paymentId: 2, accountId: 7, cents: 2_000n };
    books.command(7, instantAt(0), open(7));
    requestPayment(books, instantAt(2), paid);
    settlePayment(books, instantAt(3), paid);
    books.command(7, instantAt(4), pay("sandbox-2", 2_000n));
    const before = await transactionsOf(books);
    books.store("payment-p2", instantAt(5), "PaymentReturned.v1", {
      paymentId: 2,
      accountId: 7,
      amountCents: "0",
      reason: "Charged back",
      valueDate: "2026-01-01",
      returnedAt: instantAt(5),
    });
    expect(await transactionsOf(books)).toEqual(before);
  });

  it.each([
    ["4000", "2000", [-6_000n, 2_000n, 4_000n]],
    ["0", "2000", [-2_000n, 2_000n]],
  ] as const)(
    "taken back of %s cents for a fee of %s cents costs the fee at the provider",
    async (amountCents, feeCents, cents) => {
      const books = createBooks();
      const paid = { paymentId: 2, accountId: 7, cents: 4_000n };
      books.command(7, instantAt(0), open(7));
      requestPayment(books, instantAt(2), paid);
      settlePayment(books, instantAt(3), paid);
      books.command(7, instantAt(4), pay("sandbox-2", 4_000n));
      books.store("payment-p2", instantAt(5), "PaymentReturned.v2", {
        paymentId: 2,
        accountId: 7,
        amountCents,
        feeCents,
        reason: "Charged back",
        valueDate: "2026-01-01",
        returnedAt: instantAt(5),
      });
      const [chargeback] = (await transactionsOf(books)).filter(({ kind }) => kind === "chargeback");
      expect(chargeback?.postings.map((posting) => posting.amountCents)).toEqual(cents);
      expect(chargeback?.postings.slice(0, 2).map(({ account }) => account)).toEqual([
        { kind: "provider", name: "sandbox" },
        { kind: "fees" },
      ]);
    },
  );

  it("goes out as a movement of the bank or the provider, never as an expense", async () => {
    const books = createBooks();
    const paid = { paymentId: 1, accountId: 7, cents: 2_000n };
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), pay("bank-1", 10_000n));
    requestPayment(books, instantAt(2), paid);
    settlePayment(books, instantAt(3), paid);
    books.command(7, instantAt(4), pay("sandbox-1", 2_000n));
    const [payout, refund] = ["k3x7m2-P1", "payment-p1-refund-1"];
    payOut(books, instantAt(5), { to: "bank", reference: payout, amountCents: "3000" });
    payOut(books, instantAt(5), { to: "source", reference: refund, amountCents: "500" });
    const [customer, bank] = ["Liabilities:Customers:7", `Assets:Bank:${firstIban}`];
    const fixed = { "Assets:Bank": 10_000, "Expenses:PaymentFees": 25, [customer]: -8_500 };
    // Ordered, and not gone yet.
    const ordered = { ...fixed, "Assets:PSP:Sandbox": 1_975, "Liabilities:PayoutsOrdered": -3_500 };
    expect(closing(await transactionsOf(books))).toEqual(ordered);
    bookAtBank(books, instantAt(6), bankEntry(1, -3_000n, "2026-01-02"));
    const booked = { accountId: 7, endToEndId: payout, amountCents: "3000" };
    const bankStream = `bank-${firstIban}`;
    books.store(bankStream, instantAt(6), "PayoutPaid.v1", { ...booked, entryId: 1, paidAt: instantAt(6) });
    const sent = { paymentId: 1, accountId: 7, refundId: refund, amountCents: "500" };
    const settlement = { providerReference: "re_1", valueDate: "2026-01-03", settledAt: instantAt(6) };
    books.store("payment-p1", instantAt(6), "RefundSettled.v1", { ...sent, ...settlement });
    const gone = { ...fixed, "Assets:PSP:Sandbox": 1_475, [bank]: -3_000 };
    expect(closing(await transactionsOf(books))).toEqual(gone);
    const outside = (await transactionsOf(books)).filter(({ accountId }) => accountId === undefined);
    expect(outside.slice(-2).map(({ day }) => day)).toEqual(["2026-01-02", "2026-01-03"]);
    expect(closing(await transactionsOf(books, { from: "2026-01-03" }))).toEqual(gone);
    // Both come back: the bank's entry first, then the customer's credit.
    bookAtBank(books, instantAt(7), bankEntry(2, 3_000n, "2026-01-05"));
    const back = { ...booked, entryId: 2, reason: "AC04", returnedAt: instantAt(7) };
    books.store(bankStream, instantAt(7), "PayoutReturned.v1", back);
    const refused = { ...sent, reason: "The card is closed.", refusedAt: instantAt(7) };
    books.store("payment-p1", instantAt(7), "RefundRefused.v1", refused);
    expect(closing(await transactionsOf(books))).toEqual(ordered);
    // If the account was erased, the payout waits for staff, as an entry of nobody does.
    const parked = { entryId: 2, because: "account-erased", parkedAt: instantAt(8) };
    const ofErased = [...books.events];
    books.store(bankStream, instantAt(8), "EntryParked.v1", parked);
    expect(closing(await transactionsOf(books))).toEqual({
      ...ordered,
      "Liabilities:PayoutsOrdered": -500,
      "Liabilities:Suspense": -3_000,
    });
    books.events.splice(0, books.events.length, ...ofErased);
    for (const [to, reference, amountCents] of [
      ["bank", payout, "3000"],
      ["source", refund, "500"],
    ] as const)
      books.store("account-7", instantAt(8), "PaidOutReturned.v1", {
        accountId: 7,
        to,
        reference,
        amountCents,
        balanceAfterCents: "0",
        reason: "R",
        returnedAt: instantAt(8),
      });
    expect(closing(await transactionsOf(books))).toEqual({
      "Assets:Bank": 10_000,
      "Expenses:PaymentFees": 25,
      [customer]: -12_000,
      "Assets:PSP:Sandbox": 1_975,
    });
  });

  it("that the bank returned for an erased customer waits on the suspense account", async () => {
    const books = createBooks();
    const bank = `Assets:Bank:${firstIban}`;
    const [stream, endToEndId] = [`bank-${firstIban}`, "k3x7m2-P1"];
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), pay("bank-1", 3_000n));
    payOut(books, instantAt(2), { to: "bank", reference: endToEndId, amountCents: "3000" });
    const booked = { accountId: 7, endToEndId, amountCents: "3000" };
    bookAtBank(books, instantAt(3), bankEntry(1, -3_000n, "2026-01-02"));
    books.store(stream, instantAt(3), "PayoutPaid.v1", { ...booked, entryId: 1, paidAt: instantAt(3) });
    bookAtBank(books, instantAt(4), bankEntry(2, 3_000n, "2026-01-05"));
    const returned = { ...booked, entryId: 2, reason: "AC04", returnedAt: instantAt(4) };
    books.store(stream, instantAt(4), "PayoutReturned.v1", returned);
    const parked = { entryId: 2, because: "account-erased", parkedAt: instantAt(5) };
    books.store(stream, instantAt(5), "EntryParked.v1", parked);
    const waits = { "Assets:Bank": 3_000, "Liabilities:Suspense": -3_000 };
    expect(closing(await transactionsOf(books))).toEqual(waits);
    // Staff send the money to the heirs, and the bank books that.
    const sent = { entryId: 2, reason: "Sent to the heirs", returnedAt: instantAt(6) };
    books.store(stream, instantAt(6), "EntryReturned.v1", sent);
    bookAtBank(books, instantAt(7), bankEntry(3, -3_000n, "2026-01-09"));
    expect(closing(await transactionsOf(books))).toEqual({ "Assets:Bank": 3_000, [bank]: -3_000 });
  });

  it("comes in plain order however unreadable an event is", async () => {
    const books = moneyBooks();
    const said: string[] = [];
    const events = books.events.map((event) =>
      event.type.startsWith("PaymentReturned") ? { ...event, data: "{}" } : event,
    );
    for await (const entry of journalEntries(events, {}, (sentence) => said.push(sentence)))
      if (entry.kind === "transaction")
        expect(entry.transaction.postings.reduce((sum, { amountCents }) => sum + amountCents, 0n)).toBe(0n);
    expect(said).toEqual([expect.stringMatching(/^payment-p2@2/u)]);
  });
});

describe("the same money in DATEV", () => {
  const settings = {
    consultant: 29098,
    client: 55003,
    firstDay: "2026-01-01",
    lastDay: "2026-12-31",
    accountLength: 4,
    chart: "skr03",
    createdAt: "2027-01-01T00:00:00.000Z",
  } as const;
  const batchOf = ({ events }: Books, chart: "skr03" | "skr04" = "skr03") =>
    textOf(writeJournal(events, { format: "datev", datev: { ...settings, chart } }), "latin1");
  const balances = (batch: string): Readonly<Record<string, number>> => {
    const sums: Record<string, number> = {};
    for (const line of batch.split("\r\n").slice(2, -1)) {
      const cells = line.split(";").map((cell) => cell.replaceAll('"', ""));
      const cell = (name: string): string => cells[datevColumns.indexOf(name)] ?? "";
      const sign = cell("Soll/Haben-Kennzeichen") === "S" ? 1 : -1;
      const cents = sign * Number(cell("Umsatz (ohne Soll/Haben-Kz)").replace(",", ""));
      for (const [account, amount] of [
        [cell("Konto"), cents],
        [cell("Gegenkonto (ohne BU-Schlüssel)"), -cents],
      ] as const)
        sums[account] = (sums[account] ?? 0) + amount;
    }
    return Object.fromEntries(Object.entries(sums).filter(([, cents]) => cents !== 0));
  };

  it.each([
    ["skr03", ["1200", "1210", "1360", "4970", "1792", "8400"]],
    ["skr04", ["1800", "1810", "1460", "6855", "3630", "4400"]],
  ] as const)("has the accounts of %s, and the same sums", async (chart, accounts) => {
    const batch = await batchOf(moneyBooks(), chart);
    expect(datevBreaches(batch, "21")).toEqual([]);
    const [bank, second, provider, fees, suspense, revenue] = accounts;
    expect(balances(batch)).toEqual({
      // The first bank account is also the one of payments that staff typed.
      [bank]: 10_000 + 7_000,
      [second]: 300,
      [provider]: 1_505,
      [fees]: 75,
      [suspense]: -580,
      "10007": -15_000,
      "10008": -2_110,
      [revenue]: -1_190,
    });
  });

  it("is refused with more bank accounts than the chart has", async () => {
    const books = createBooks();
    for (let count = 0; count < 7; count++)
      bookAtBank(
        books,
        instantAt(count),
        bankEntry(1, 100n, "2026-01-01", `DE8937040044053201300${String(count)}`),
      );
    await expect(batchOf(books)).rejects.toThrow(DatevError);
  });
});

it.each(["beancount", "ledger-cli", "csv"] as const satisfies readonly JournalFormat[])(
  "old books keep every line of their journal in %s",
  async (format) => {
    const books = createBooks();
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), pay("bank-1", 10_000n));
    const text = await textOf(writeJournal(books.events, { format }));
    expect(text).not.toMatch(/Suspense|PSP|Fees|Assets:Bank:/u);
    expect(text).toContain("Assets:Bank");
  },
);
