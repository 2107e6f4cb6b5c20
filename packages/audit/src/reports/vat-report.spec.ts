import {
  sellerAggregate,
  standardRates,
  taxRulesAggregate,
  type AccountCommand,
  type IssuingTerms,
} from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { charge, createBooks, grant, open, pay, refund, textOf, type Books } from "./books.fixture.ts";
import { datevColumns } from "./journal/datev-columns.ts";
import { datevBreaches } from "./journal/datev-rules.fixture.ts";
import { writeJournal } from "./journal/write-journal.ts";
import { vatReport, vatReportCsv, vatReportDocument, vatReportText } from "./vat-report.ts";

const rates = Object.entries(standardRates).map(([country, standardBasisPoints]) => ({
  country,
  standardBasisPoints,
}));
const rules = taxRulesAggregate.decider.evolve(taxRulesAggregate.decider.initialState, {
  type: "TaxRulesSet",
  data: { validFrom: "2026-01-01", rates, reason: "shipped", setAt: "2026-01-01T00:00:00.000000Z" },
});
const { seller } = sellerAggregate.decider.initialState;
const eu: IssuingTerms = { mode: "eu", rules, seller, ossFrom: "2026-01-01", retentionYears: 8 };
const smallBusiness: IssuingTerms = { ...eu, seller: { ...seller, isSmallBusiness: true } };

const on = (day: string): string => `${day}T10:00:00.000000Z`;
const supply = { from: on("2026-02-01"), until: on("2027-02-01") };
const place = { name: "Ada", street: "Street 1", city: "City", postal_code: "1000" };

/** Opens an account with a profile and 100.00 EUR. */
function customer(books: Books, accountId: number, changes: object, vatId?: string): void {
  const at = on("2026-01-31");
  books.command(accountId, at, open(accountId));
  const profile = { ...place, ...changes, ...(vatId === undefined ? {} : { vat_id: vatId }) };
  books.command(accountId, at, () => ({ type: "ChangeProfile", data: { changes: profile, at } }));
  if (vatId !== undefined)
    books.command(accountId, at, () => ({
      type: "RecordVatIdCheck",
      data: { vatId, outcome: "valid", consultationNumber: "WAPI1", at },
    }));
  books.command(accountId, at, pay(`payment-${String(accountId)}`, 10_000n));
}

/** Charges a domain at a net price on a day. */
function sold(
  books: Books,
  accountId: number,
  {
    day,
    terms = eu,
    cents = 1_000n,
  }: { readonly day: string; readonly terms?: IssuingTerms; readonly cents?: bigint },
): void {
  const build = (at: string): AccountCommand => {
    const command = charge(`order-${String(accountId)}-${day}`, cents)(at);
    if (command.type !== "ChargeBalance") throw new Error("charge builds another command");
    return { ...command, data: { ...command.data, terms, supply } };
  };
  const isSold = books.command(accountId, day.includes("T") ? day : on(day), build);
  if (!isSold) throw new Error(`the charge of account ${String(accountId)} was refused`);
}

/** A first quarter with each kind of customer. */
function quarter(): Books {
  const books = createBooks();
  customer(books, 1, { country: "DE", kind: "person" });
  customer(books, 2, { country: "DE", kind: "organisation", organisation: "GmbH" }, "DE123456788");
  customer(books, 3, { country: "NL", kind: "organisation", organisation: "BV" }, "NL004495445B01");
  customer(books, 4, { country: "FR", kind: "person" });
  customer(books, 5, { country: "CH", kind: "organisation", organisation: "AG" });
  customer(books, 6, { country: "GR", kind: "organisation", organisation: "AE" }, "EL094259216");
  for (const id of [1, 2, 3, 4, 5, 6]) sold(books, id, { day: "2026-02-01" });
  sold(books, 3, { day: "2026-03-01", cents: 2_000n });
  books.command(4, on("2026-03-02"), grant("order-4-2026-02-01", 600n));
  // In the next quarter: the year of the correction counts, not the invoice's.
  books.command(1, on("2026-04-02"), refund("order-1-2026-02-01"));
  return books;
}

const report = (books: Books, from: string, to: string) =>
  vatReport(books.events, { from, to }, (sentence) => {
    throw new Error(sentence);
  });

describe("a VAT report", () => {
  it("has the lines of the return, the One Stop Shop and the recapitulative statement, as computed by hand", async () => {
    const found = vatReportDocument(await report(quarter(), "2026-01-01", "2026-03-31"));
    expect(found).toEqual({
      from: "2026-01-01",
      to: "2026-03-31",
      currency: "EUR",
      documents: 8,
      estimated_supply_periods: 0,
      return: [
        // 10.00 and 20.00 to the Dutch company, 10.00 to the Greek one.
        {
          line: "21",
          meaning: "Services taxed in another member state, reverse charge (§18b UStG)",
          net: "40.00",
          vat: "0.00",
        },
        // The Swiss company, and the French consumer less the refund of 5.00 net.
        { line: "45", meaning: "Other supplies whose place is not in Germany", net: "15.00", vat: "0.00" },
        // Two buyers in Germany, 10.00 each.
        { line: "81", meaning: "Taxable supplies at 19 %", net: "20.00", vat: "3.80" },
      ],
      // 10.00 at 20 %, less half of it.
      oss: [{ country: "FR", rate: 20, net: "5.00", vat: "1.00" }],
      recapitulative: [
        { vat_id: "EL094259216", net: "10.00" },
        { vat_id: "NL004495445B01", net: "30.00" },
      ],
    });
  });

  it("counts a correction in the period of its own date", async () => {
    const { documents, returnLines } = await report(quarter(), "2026-04-01", "2026-06-30");
    expect(documents).toBe(1);
    expect(returnLines).toMatchObject([{ number: "81", netCents: -1_000n, vatCents: -190n }]);
  });

  it("goes by the business date in the seller's time zone", async () => {
    const books = createBooks();
    customer(books, 1, { country: "DE", kind: "person" });
    sold(books, 1, { day: "2026-03-31T22:30:00.000000Z" });
    expect((await report(books, "2026-01-01", "2026-03-31")).documents).toBe(0);
    expect((await report(books, "2026-04-01", "2026-04-01")).documents).toBe(1);
  });

  it("has a line without a number for small businesses, which file no return", async () => {
    const books = createBooks();
    customer(books, 1, { country: "DE", kind: "person" });
    sold(books, 1, { day: "2026-02-01", terms: smallBusiness });
    const { returnLines } = await report(books, "2026-01-01", "2026-12-31");
    expect(returnLines).toMatchObject([{ number: "", netCents: 1_000n, vatCents: 0n }]);
  });

  it("estimates the supply periods of older documents without terms, and marks them", async () => {
    const books = quarter();
    const older = books.events.map((event) => {
      if (!event.type.startsWith("InvoiceIssued.")) return event;
      const frozen = new Set(["accountId", "terms", "buyer", "keptUntilYear"]);
      const members = Object.entries(JSON.parse(event.data) as object).filter(([name]) => !frozen.has(name));
      return { ...event, type: "InvoiceIssued.v2", data: JSON.stringify(Object.fromEntries(members)) };
    });
    const found = await report({ ...books, events: older }, "2026-02-01", "2026-02-28");
    expect(found.estimated).toBe(6);
    expect(vatReportText(found)).toContain("The supply periods of 6 are estimated.");
  });

  it("is text in columns, and CSV with a row for each line", async () => {
    const found = await report(quarter(), "2026-01-01", "2026-03-31");
    expect(vatReportCsv(found).split("\r\n")).toEqual([
      "part,line,country,rate,vat_id,net,vat",
      "return,21,,,,40.00,0.00",
      "return,45,,,,15.00,0.00",
      "return,81,,,,20.00,3.80",
      "oss,,FR,20,,5.00,1.00",
      "recapitulative,,EL,,EL094259216,10.00,",
      "recapitulative,,NL,,NL004495445B01,30.00,",
      "",
    ]);
    expect(vatReportText(found)).toMatch(/^VAT of 8 documents dated 2026-01-01 to 2026-03-31, in EUR\.\n\n/u);
  });
});

describe("a DATEV batch of the same quarter", () => {
  const datev = {
    consultant: 29_098,
    client: 55_003,
    accountLength: 4,
    chart: "skr03",
    firstDay: "2026-01-01",
    lastDay: "2026-12-31",
    createdAt: "2026-12-31T14:04:40.439000Z",
  } as const;

  it("posts each taxation to its account, with the buyer's state, VAT id, rate and the date of the supply", async () => {
    const batch = await textOf(writeJournal(quarter().events, { format: "datev", datev }), "latin1");
    expect(datevBreaches(batch, "21")).toEqual([]);
    const shown = [
      "Umsatz (ohne Soll/Haben-Kz)",
      "Soll/Haben-Kennzeichen",
      "Konto",
      "Gegenkonto (ohne BU-Schlüssel)",
      "EU-Land u. UStID (Bestimmung)",
      "EU-Steuersatz (Bestimmung)",
      "Leistungsdatum",
      "Datum Zuord. Steuerperiode",
    ];
    const rows = batch
      .split("\r\n")
      .slice(2, -1)
      .map((line) => line.split(";"))
      .map((cells) => shown.map((name) => (cells[datevColumns.indexOf(name)] ?? "").replaceAll('"', "")))
      .filter(([, , , contra]) => contra !== "1200");
    expect(rows).toEqual([
      ["11,90", "S", "10001", "8400", "", "", "01022026", "01022026"],
      ["11,90", "S", "10002", "8400", "", "", "01022026", "01022026"],
      ["10,00", "S", "10003", "8336", "NL004495445B01", "", "01022026", "01022026"],
      ["12,00", "S", "10004", "8331", "FR", "20,00", "01022026", "01022026"],
      ["10,00", "S", "10005", "8338", "", "", "01022026", "01022026"],
      ["10,00", "S", "10006", "8336", "EL094259216", "", "01022026", "01022026"],
      ["20,00", "S", "10003", "8336", "NL004495445B01", "", "01022026", "01032026"],
      ["6,00", "H", "10004", "8331", "FR", "20,00", "01022026", "02032026"],
      ["11,90", "H", "10001", "8400", "", "", "01022026", "02042026"],
    ]);
  });
});
