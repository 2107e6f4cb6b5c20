import { describe, expect, it } from "vitest";

import {
  adjust,
  balanceByHand,
  charge,
  createBooks,
  instantAt,
  open,
  pay,
  takeBack,
  textOf,
  type Books,
} from "../books.fixture.ts";
import type { Event } from "../event.ts";
import { accountName } from "./journal-accounts.ts";
import { journalEntries } from "./journal-entries.ts";
import type { JournalPeriod, Transaction } from "./transaction.ts";
import { expectedCustomers, smallBooks } from "./journal.fixture.ts";
import { allBooks } from "./journal.laws.fixture.ts";
import { writeJournal } from "./write-journal.ts";

async function transactionsOf(
  events: readonly Event[],
  period: JournalPeriod = {},
): Promise<readonly Transaction[]> {
  const transactions: Transaction[] = [];
  for await (const entry of journalEntries(events, period))
    if (entry.kind === "transaction") transactions.push(entry.transaction);
  return transactions;
}

function sums(transactions: readonly Transaction[]): ReadonlyMap<string, bigint> {
  const balances = new Map<string, bigint>();
  for (const { account, amountCents } of transactions.flatMap(({ postings }) => postings)) {
    const name = accountName(account);
    balances.set(name, (balances.get(name) ?? 0n) + amountCents);
  }
  return balances;
}

const nonZero = (balances: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> =>
  new Map([...balances].filter(([, cents]) => cents !== 0n));

const postedBy = ({ postings }: Transaction): Readonly<Record<string, bigint>> =>
  Object.fromEntries(postings.map(({ account, amountCents }) => [accountName(account), amountCents]));

const always = "9999-12-31T23:59:59.999999Z";

describe.each(allBooks)("the journal of $name", ({ make }) => {
  const books = make();

  it("has only transactions that sum to zero", async () => {
    for (const { postings } of await transactionsOf(books.events))
      expect(postings.reduce((sum, { amountCents }) => sum + amountCents, 0n)).toBe(0n);
  });

  it("books every movement, and ends with the customers' balances", async () => {
    const found = sums(await transactionsOf(books.events));
    expect(found.has("Equity:Unexplained")).toBe(false);
    for (const [id, cents] of expectedCustomers(books, (own) => balanceByHand(books.events, own, always)))
      expect(found.get(`Liabilities:Customers:${String(id)}`) ?? 0n).toBe(cents);
  });

  it("has the same trial balance wherever it begins", async () => {
    const whole = nonZero(sums(await transactionsOf(books.events)));
    for (const share of [0, 0.1, 0.5, 0.9]) {
      const from = books.events[Math.floor(books.events.length * share)]?.time.slice(0, 10);
      const transactions = await transactionsOf(books.events, { from });
      expect(nonZero(sums(transactions))).toEqual(whole);
      for (const { postings } of transactions)
        expect(postings.reduce((sum, { amountCents }) => sum + amountCents, 0n)).toBe(0n);
    }
    expect(nonZero(sums(await transactionsOf(books.events, { from: "9999-12-31" })))).toEqual(whole);
  });
});

describe("what staff correct", () => {
  it("is posted against an account of its own, and a payment taken back against the bank", async () => {
    const books = createBooks();
    books.command(7, instantAt(1), open(7));
    books.command(7, instantAt(2), pay("bank-1", 10_000n));
    books.command(7, instantAt(3), adjust("case-1", 500n));
    books.command(7, instantAt(4), adjust("case-2", -500n));
    books.command(7, instantAt(5), adjust("case-3", 70n));
    books.command(7, instantAt(6), takeBack("bank-1"));
    const transactions = await transactionsOf(books.events);
    expect(transactions.map(({ kind, cause }) => [kind, cause])).toEqual([
      ["payment", "bank-1"],
      ...["case-1", "case-2", "case-3", "bank-1"].map((cause) => ["adjustment", cause]),
    ]);
    expect(sums(transactions)).toEqual(
      new Map([
        ["Liabilities:Customers:7", -70n],
        ["Assets:Bank", 0n],
        ["Expenses:Adjustments", 70n],
      ]),
    );
  });
});

describe("a journal that begins on a later day", () => {
  it("has the movements of that day and later, and one opening transaction for each customer", async () => {
    const { events } = smallBooks();
    const from = events.find(({ type }) => type.startsWith("BalanceCharged"))?.time.slice(0, 10);
    const transactions = await transactionsOf(events, { from });
    expect(transactions.map(({ kind }) => kind)).toEqual([
      "charge",
      "charge",
      "charge",
      "refund",
      "refund",
      "charge",
      "opening",
      "opening",
    ]);
    expect(transactions.slice(-2).map((transaction) => postedBy(transaction))).toEqual([
      { "Liabilities:Customers:7": -100_000n, "Assets:Bank": 100_000n },
      { "Liabilities:Customers:8": -5_000n, "Assets:Bank": 5_000n },
    ]);
  });

  it("opens bank, revenue, VAT and adjustments too, dated before its first day", async () => {
    const books = createBooks();
    books.command(7, instantAt(1), open(7));
    books.command(7, instantAt(2), pay("bank-1", 10_000n));
    books.command(7, instantAt(3), charge("registration-1", 1_000n));
    books.command(7, instantAt(4), charge("serverorder-1", 999n, "Server S", true));
    books.command(7, instantAt(5), adjust("case-1", 500n));
    const transactions = await transactionsOf(books.events, { from: "2026-02-01" });
    expect(transactions.map(({ time, kind }) => [time, kind])).toEqual([
      ["2026-01-31T23:59:59.999999Z", "opening"],
    ]);
    expect(transactions.map((transaction) => postedBy(transaction))).toEqual([
      {
        "Liabilities:Customers:7": -8_311n,
        "Assets:Bank": 10_000n,
        "Income:Domains": -1_000n,
        "Income:Servers": -839n,
        "Liabilities:VAT": -350n,
        "Expenses:Adjustments": 500n,
      },
    ]);
  });
});

describe.each([
  ["beancount", /^(\d{4}-\d\d-\d\d) \* "Account 7"/gmu],
  ["ledger-cli", /^(\d{4}-\d\d-\d\d) \* \(/gmu],
  // A row for each posting; the customer's alone names the account.
  ["csv", /^(\d{4}-\d\d-\d\d),.*,Liabilities:Customers:7,/gmu],
] as const)("the days of bookings in %s", (format, line) => {
  const daysOf = async (events: readonly Event[], period: JournalPeriod = {}) =>
    [...(await textOf(writeJournal(events, { format, ...period }))).matchAll(line)].map(([, day]) => day);

  it("are the business dates of documents, and so are both ends of a period", async () => {
    const { events } = newYearInBerlin();
    const days = ["2025-12-31", "2026-01-01", "2026-01-01"];
    expect(await daysOf(events)).toEqual(days);
    expect(await daysOf(events, { from: "2026-01-01" })).toEqual([...days.slice(1), "2025-12-31"]);
    expect(await daysOf(events, { to: "2025-12-31" })).toEqual(days.slice(0, 1));
    expect(await daysOf(events, { from: "2026-01-02" })).toEqual(["2026-01-01"]);
    const stored = "2025-12-31T23:30:00.000000Z";
    expect(await daysOf(events, { from: stored })).toEqual(["2026-01-01", "2025-12-31"]);
    expect(await daysOf(events, { to: stored })).toEqual(days);
  });

  it("are the UTC days of movements without a document and of older documents", async () => {
    const older = newYearInBerlin().events.map((event) => ({
      ...event,
      type: event.type.replace(/^InvoiceIssued\.v\d$/u, "InvoiceIssued.v2"),
      data: event.type.startsWith("InvoiceIssued") ? withoutTerms(event.data) : event.data,
    }));
    const days = ["2025-12-31", "2025-12-31", "2025-12-31"];
    expect(await daysOf(older)).toEqual(days);
    const bare = older.filter(({ type }) => !type.startsWith("InvoiceIssued"));
    expect(await daysOf(bare)).toEqual(days);
  });
});

/** Books of a seller in Berlin: the second payment and the charge are of the new year there, but not in UTC. */
function newYearInBerlin(): Books {
  const books = createBooks();
  books.command(7, "2025-12-31T22:00:00.000000Z", open(7));
  books.command(7, "2025-12-31T22:59:59.999999Z", pay("bank-1", 10_000n));
  books.command(7, "2025-12-31T23:00:00.000000Z", pay("bank-2", 10_000n));
  books.command(7, "2025-12-31T23:30:00.000000Z", charge("registration-1", 1_000n));
  return books;
}

/** Returns the event of a document as it was before version 3. */
function withoutTerms(data: string): string {
  const added = new Set(["accountId", "terms", "buyer", "keptUntilYear"]);
  return JSON.stringify(JSON.parse(data), (key, value: unknown) => (added.has(key) ? undefined : value));
}

describe("a transaction", () => {
  it("is bank to customer for a payment, customer to revenue and VAT for a charge, and back for a refund", async () => {
    const transactions = await transactionsOf(smallBooks().events);
    const written = transactions.map((transaction) => [
      transaction.kind,
      transaction.documentNumber,
      postedBy(transaction),
    ]);
    expect(written).toEqual([
      ["payment", "2026-7-T000001", { "Liabilities:Customers:7": -100_000n, "Assets:Bank": 100_000n }],
      ["payment", "2026-8-T000001", { "Liabilities:Customers:8": -5_000n, "Assets:Bank": 5_000n }],
      [
        "charge",
        "2026-7-000001",
        { "Liabilities:Customers:7": 1_190n, "Income:Domains": -1_000n, "Liabilities:VAT": -190n },
      ],
      [
        "charge",
        "2026-7-000002",
        { "Liabilities:Customers:7": 999n, "Income:Servers": -839n, "Liabilities:VAT": -160n },
      ],
      ["charge", "2026-8-000001", { "Liabilities:Customers:8": 1_000n, "Income:Domains": -1_000n }],
      [
        "refund",
        "2026-7-C000001",
        { "Liabilities:Customers:7": -1_190n, "Income:Domains": 1_000n, "Liabilities:VAT": 190n },
      ],
      [
        "refund",
        "2026-7-C000002",
        { "Liabilities:Customers:7": -999n, "Income:Servers": 839n, "Liabilities:VAT": 160n },
      ],
      [
        "charge",
        "2026-7-000003",
        { "Liabilities:Customers:7": 1_190n, "Income:Domains": -1_000n, "Liabilities:VAT": -190n },
      ],
    ]);
  });

  it.each([
    [
      "has another amount",
      (text: string) => text.replaceAll('"grossCents":"1190"', '"grossCents":"1191"'),
      1n,
    ],
    [
      "is of another charge",
      (text: string) => text.replace('"cause":"registration-1"', '"cause":"x"'),
      -1_190n,
    ],
  ])("books amounts beyond its document separately, if it %s", async (_what, forge, unexplained) => {
    const books = createBooks();
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), pay("bank-1", 10_000n));
    books.command(7, instantAt(2), charge("registration-1", 1_000n));
    const forged = books.events.map((event) => ({
      ...event,
      data: event.type.startsWith("BalanceCharged") === (unexplained === 1n) ? forge(event.data) : event.data,
    }));
    const found = sums(await transactionsOf(forged));
    expect(found.get("Equity:Unexplained")).toBe(-(unexplained < 0n ? -unexplained : unexplained));
    expect([...found.values()].reduce((sum, cents) => sum + cents, 0n)).toBe(0n);
  });

  it("exists for a movement without a document, at the end of the books too", async () => {
    const events = smallBooks().events.filter(({ type }) => !/^(?:Invoice|Correction)Issued/u.test(type));
    const transactions = await transactionsOf(events);
    expect(transactions).toHaveLength(8);
    expect(sums(transactions).get("Liabilities:Customers:7")).toBe(
      -balanceByHand(smallBooks().events, 7, always),
    );
  });
});

describe.each(allBooks)("the text of $name", ({ make }) => {
  it.each([
    {
      format: "ledger-cli" as const,
      // Text from outside never ends a field or becomes a code, a date or a tag.
      line: /^(?:\d{4}-\d\d-\d\d \* \([\w-]+\) [^;|:()[\]{}\p{Cc}]+| {4}; (?:Account|Cause|Fact|Name): [^;|:()[\]{}\p{Cc}]+| {4}[A-Z][\w:-]+ {2}-?\d+\.\d\d EUR|account [A-Z][\w:-]+|tag [A-Z][a-z]+|commodity EUR| {4}format 1000\.00 EUR|)$/u,
    },
    {
      format: "beancount" as const,
      line: /^(?:\d{4}-\d\d-\d\d \* "(?:Account \d+|Bank [A-Z\d]+|PSP [a-z]+)" "(?:[^"\\\p{Cc}]|\\["\\])*"| {2}[a-z]+: "(?:[^"\\\p{Cc}]|\\["\\])*"| {2}[A-Z][\w:-]+ {2}-?\d+\.\d\d EUR|1970-01-01 open [A-Z][\w:-]+ EUR|option "[a-z_]+" "\w+"|)$/u,
    },
  ])("has no line but those that $format is to have", async ({ format, line }) => {
    const text = await textOf(writeJournal(make().events, { format }));
    for (const each of text.split("\n")) expect(each).toMatch(line);
  });
});

describe("CSV", () => {
  it("sums to the same for every account wherever it begins", async () => {
    const sumsFrom = async (from?: string) => {
      const csv = await textOf(writeJournal(smallBooks().events, { format: "csv", from }));
      const cents = new Map<string, bigint>();
      for (const row of csv.trimEnd().split("\r\n").slice(1)) {
        const [, , , , account = "", amount = ""] = row.split(",");
        cents.set(account, (cents.get(account) ?? 0n) + BigInt(amount.replace(".", "")));
      }
      return nonZero(cents);
    };
    expect(await sumsFrom("2026-01-08")).toEqual(await sumsFrom());
  });

  it("has no cell that a spreadsheet reads as a formula, and equal columns in every row", async () => {
    for (const { make } of allBooks) {
      const csv = await textOf(writeJournal(make().events, { format: "csv" }));
      for (const row of csv.trimEnd().split("\r\n")) {
        const cells = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/gu)].map(
          ([, quoted, bare]) => quoted ?? bare ?? "",
        );
        expect(cells).toHaveLength(10);
        for (const cell of cells)
          expect(cell).not.toMatch(/^[\s\p{Cf}]*(?:[=+@\uff0b\uff1d\uff20]|-(?!\d+\.\d\d$))/u);
      }
    }
  });
});
