import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  adjust,
  balanceByHand,
  charge,
  createBooks,
  instantAt,
  open,
  pay,
  textOf,
} from "../books.fixture.ts";
import type { Event } from "../event.ts";
import { datevColumns, datevCustomerColumns } from "./datev-columns.ts";
import { DatevError, datevMostPostings, type DatevSettings } from "./datev-format.ts";
import { datevBreaches } from "./datev-rules.fixture.ts";
import { hostileBooks, largeBooks, smallBooks } from "./journal.fixture.ts";
import { writeJournal } from "./write-journal.ts";

const settings: DatevSettings = {
  consultant: 29_098,
  client: 55_003,
  accountLength: 4,
  chart: "skr03",
  firstDay: "2026-01-01",
  lastDay: "2026-12-31",
  createdAt: "2026-01-30T14:04:40.439000Z",
};

const batchOf = (events: readonly Event[], changes: Partial<DatevSettings> = {}): Promise<string> =>
  textOf(writeJournal(events, { format: "datev", datev: { ...settings, ...changes } }), "latin1");

function linesIn(batch: string, columns = datevColumns): readonly Readonly<Record<string, string>>[] {
  return batch
    .split("\r\n")
    .slice(2, -1)
    .map((line) => {
      const cells = [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"|([^";]*))/gu)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
      );
      expect(cells).toHaveLength(columns.length);
      return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ""]));
    });
}

function customerCents(line: Readonly<Record<string, string>>): bigint {
  const cents = BigInt((line["Umsatz (ohne Soll/Haben-Kz)"] ?? "").replace(",", ""));
  return line["Soll/Haben-Kennzeichen"] === "H" ? -cents : cents;
}

describe("a DATEV batch", () => {
  it("has the header and the columns of format version 13", async () => {
    const [header, columns] = (await batchOf(smallBooks().events)).split("\r\n");
    expect(header).toBe(
      '"EXTF";700;21;"Buchungsstapel";13;20260130140440439;;"HL";"Hostledger";"";29098;55003;20260101;4;' +
        '20260101;20261231;"Hostledger";"";1;0;0;"EUR";;"";;;"03";;;"";""',
    );
    expect(columns?.split(";")).toHaveLength(125);
    expect(columns).toMatch(/^Umsatz \(ohne Soll\/Haben-Kz\);.*;Abw\. Skontokonto$/u);
  });

  it("posts a payment to the bank, a charge to revenue that splits its VAT, and a refund back", async () => {
    const lines = linesIn(await batchOf(smallBooks().events)).map((line) =>
      [
        "Umsatz (ohne Soll/Haben-Kz)",
        "Soll/Haben-Kennzeichen",
        "Konto",
        "Gegenkonto (ohne BU-Schlüssel)",
        "Belegdatum",
        "Belegfeld 1",
        "Zusatzinformation- Inhalt 2",
      ].map((column) => line[column]),
    );
    expect(lines).toEqual([
      ["1000,00", "H", "10007", "1200", "0401", "2026-7-T000001", ""],
      ["50,00", "H", "10008", "1200", "0501", "2026-8-T000001", ""],
      ["11,90", "S", "10007", "8400", "0601", "2026-7-000001", "1,90"],
      ["9,99", "S", "10007", "8400", "0701", "2026-7-000002", "1,60"],
      ["10,00", "S", "10008", "8200", "0801", "2026-8-000001", ""],
      ["11,90", "H", "10007", "8400", "0901", "2026-7-C000001", "-1,90"],
      ["9,99", "H", "10007", "8400", "1001", "2026-7-C000002", "-1,60"],
      ["11,90", "S", "10007", "8400", "1101", "2026-7-000003", "1,90"],
    ]);
  });

  it("ends with the customers' balances, and splits VAT as the documents do", async () => {
    const books = largeBooks();
    const lines = linesIn(await batchOf(books.events));
    for (let id = 1; id <= 40; id++) {
      const own = lines.filter(({ Konto }) => Konto === String(10_000 + id));
      const sum = own.reduce((cents, line) => cents + customerCents(line), 0n);
      expect(sum).toBe(-balanceByHand(books.events, id, "9999"));
    }
    const automatic = lines.filter((line) => line["Gegenkonto (ohne BU-Schlüssel)"] === "8400");
    expect(automatic.length).toBeGreaterThan(500);
    for (const line of automatic) {
      const gross = customerCents(line);
      const magnitude = gross < 0n ? -gross : gross;
      // DATEV computes the VAT contained in the gross amount, rounded to the nearest cent.
      const split = (2n * magnitude * 19n + 119n) / 238n;
      const reported = (line["Zusatzinformation- Inhalt 2"] ?? "0").replace(",", "").replace("-", "");
      expect(split).toBe(BigInt(reported === "" ? "0" : reported));
    }
    // Partial refunds sum to the invoice, so the VAT of one may differ by a cent from its exact share (ADR 0076).
    for (const { type, data } of books.events) {
      if (!/^(?:Invoice|Correction)Issued/u.test(type)) continue;
      const document: unknown = JSON.parse(data);
      const { number, vatCents, action } = z
        .object({ number: z.string(), vatCents: z.string(), action: z.string().optional() })
        .parse(document);
      if (action === "topup") continue;
      const vat = automatic
        .filter((line) => line["Belegfeld 1"] === number)
        .map((line) => (line["Zusatzinformation- Inhalt 2"] ?? "").replace(",", ""))
        .reduce((sum, each) => sum + BigInt(each), 0n);
      expect([number, vat]).toEqual([number, BigInt(vatCents)]);
    }
  });

  it("writes foreign texts in one line of Latin-1, without a formula", async () => {
    const batch = await batchOf(hostileBooks().events);
    expect(Buffer.from(batch, "latin1").toString("latin1")).toBe(batch);
    for (const line of linesIn(batch)) {
      for (const cell of Object.values(line)) {
        expect(cell).not.toMatch(/^[=+@]|[\x00-\x1f\x7f-\x9f]/u);
        expect(cell.length).toBeLessThanOrEqual(211);
      }
      expect(line.Buchungstext?.length).toBeLessThanOrEqual(60);
      expect(line["Belegfeld 1"]).toMatch(/^[A-Za-z0-9$&%*+\-/]{1,36}$/u);
    }
  });

  it("pads general accounts to a longer length, and has room for more customers then", async () => {
    const books = createBooks();
    books.command(60_000, instantAt(0), open(60_000));
    books.command(60_000, instantAt(1), pay("bank-1", 100n));
    await expect(batchOf(books.events)).rejects.toThrow(
      new DatevError(
        "Account 60000 has no place among customers' accounts of 5 digits: choose longer accounts.",
      ),
    );
    expect(linesIn(await batchOf(books.events, { accountLength: 6 }))).toMatchObject([
      { Konto: "1060000", "Gegenkonto (ohne BU-Schlüssel)": "120000" },
    ]);
  });

  it("leaves movements of other days to other batches", async () => {
    const { events } = smallBooks();
    const first = linesIn(await batchOf(events, { lastDay: "2026-01-05" }));
    const second = linesIn(await batchOf(events, { firstDay: "2026-01-06" }));
    expect([...first, ...second]).toEqual(linesIn(await batchOf(events)));
    expect(first).toHaveLength(2);
  });

  it("refuses a charge that has no account", async () => {
    const books = createBooks();
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), pay("bank-1", 10_000n));
    books.command(7, instantAt(2), charge("registration-1", 1_000n));
    const other = books.events.map((event) => ({
      ...event,
      data: event.data.replace('Percent":19', 'Percent":7'),
    }));
    await expect(batchOf(other)).rejects.toThrow(
      /without a revenue account for a VAT rate of 7 %: write this journal as csv/,
    );
  });
});

describe("DATEV's published rules of header and columns", () => {
  it.each([
    ["every kind of movement", smallBooks, {}],
    ["thousands of movements", largeBooks, {}],
    ["texts with a special meaning", hostileBooks, {}],
    ["SKR04", largeBooks, { chart: "skr04" }],
    ["longer accounts", smallBooks, { accountLength: 8 }],
  ] as const)("hold for a batch of %s", async (_what, books, changes) => {
    expect(datevBreaches(await batchOf(books().events, changes), "21")).toEqual([]);
  });

  it.each([
    [
      "a header of another version",
      (batch: string) => batch.replace(";700;", ";510;"),
      /^header field 2 breaks/u,
    ],
    [
      "a voucher with a blank",
      (batch: string) => batch.replace("2026-7-T000001", "2026 7"),
      /Belegfeld 1 breaks/u,
    ],
    ["no voucher", (batch: string) => batch.replace("2026-7-T000001", ""), /Belegfeld 1 is empty/u],
    [
      "an amount of another notation",
      (batch: string) => batch.replace("1000,00", "1000.00"),
      /^line 3, Umsatz/u,
    ],
    [
      "a date of no month",
      (batch: string) => batch.replace(";0401;", ";0413;"),
      /^line 3, Belegdatum breaks/u,
    ],
    ["lines of another system", (batch: string) => batch.replaceAll("\r\n", "\n"), /CR LF/u],
  ])("are broken by %s", async (_what, change, sentence) => {
    const breaches = datevBreaches(change(await batchOf(smallBooks().events)), "21");
    expect(breaches.join("\n")).toMatch(sentence);
  });
});

describe("a DATEV line", () => {
  it("has a voucher if its movement has no document: the reference of a correction", async () => {
    const books = createBooks();
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), adjust("case 12/ä", 500n));
    books.command(7, instantAt(2), adjust("-2026", 500n));
    books.command(7, instantAt(3), adjust("ä", 500n));
    const batch = await batchOf(books.events);
    expect(linesIn(batch).map((line) => line["Belegfeld 1"])).toEqual([
      "case-12/-",
      "2026",
      expect.stringMatching(/^00000000-0000-4000-8000-\d{12}$/u),
    ]);
    expect(datevBreaches(batch, "21")).toEqual([]);
  });

  it("is posted to the accounts of SKR04 if that chart is chosen", async () => {
    const accounts = linesIn(await batchOf(smallBooks().events, { chart: "skr04" })).map(
      (line) => line["Gegenkonto (ohne BU-Schlüssel)"],
    );
    expect(accounts).toEqual(["1800", "1800", "4400", "4400", "4200", "4400", "4400", "4400"]);
    expect((await batchOf(smallBooks().events, { chart: "skr04" })).split("\r\n")[0]).toContain(';"04";');
  });
});

describe("a DATEV batch of more postings than a file may have", () => {
  const adjustments = (count: number): readonly Event[] => {
    const books = createBooks();
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), adjust("case", 1n));
    const [, one] = books.events;
    if (one === undefined) throw new Error("the correction was refused");
    return Array.from({ length: count }, (_, at) => ({ ...one, revision: BigInt(at) }));
  };

  it("is divided into files that each have a head", async () => {
    const files: Uint8Array[][] = [[]];
    const written = writeJournal(adjustments(datevMostPostings + 1), {
      format: "datev",
      datev: settings,
      nextFile: () => files.push([]),
    });
    for await (const piece of written) files.at(-1)?.push(piece);
    const texts = files.map((pieces) => Buffer.concat(pieces).toString("latin1"));
    expect(texts.map((text) => linesIn(text).length)).toEqual([datevMostPostings, 1]);
    for (const text of texts.slice(1)) expect(datevBreaches(text, "21")).toEqual([]);
  });

  it("is refused if only one file is allowed", async () => {
    await expect(batchOf(adjustments(datevMostPostings + 1))).rejects.toThrow(
      /^The period has more than the 99999 postings of one DATEV file: choose a shorter period, or use --output/u,
    );
  });
});

describe("DATEV's file of customers", () => {
  const customersOf = (events: readonly Event[]): Promise<string> =>
    textOf(writeJournal(events, { format: "datev-customers", datev: settings }), "latin1");

  it("has each customer once, with name, address and VAT id of the last profile", async () => {
    const books = createBooks();
    books.command(8, instantAt(0), open(8, "Ada"));
    books.command(7, instantAt(1), open(7, "Account of a company"));
    books.command(9, instantAt(2), open(9, "Grace"));
    const profile = {
      kind: "organisation",
      name: "Jan Jansen",
      organisation: "Jansen Hosting BV",
      street: "Keizersgracht 1",
      city: "Amsterdam",
      postal_code: "1015 CN",
      country: "NL",
      email: "books@jansen.example",
      phone: "+31201234567",
      vat_id: "NL004495445B01",
    } as const;
    const change = (changes: object) => (at: string) =>
      ({ type: "ChangeProfile", data: { changes, at } }) as const;
    books.command(7, instantAt(3), change({ ...profile, city: "Utrecht" }));
    books.command(7, instantAt(4), change(profile));
    books.command(8, instantAt(5), change({ kind: "person", name: "Ada Lovelace", country: "GR" }));
    const file = await customersOf(books.events);
    expect(datevBreaches(file, "16")).toEqual([]);
    const filled = linesIn(file, datevCustomerColumns).map((line) =>
      Object.fromEntries(Object.entries(line).filter(([, value]) => value !== "")),
    );
    expect(filled).toEqual([
      {
        Konto: "10007",
        "Name (Adressattyp Unternehmen)": "Jansen Hosting BV",
        Adressattyp: "2",
        Kurzbezeichnung: "Jansen Hosting",
        "EU-Land": "NL",
        "EU-UStID": "004495445B01",
        Adressart: "STR",
        Straße: "Keizersgracht 1",
        Postleitzahl: "1015 CN",
        Ort: "Amsterdam",
        Land: "NL",
        Telefon: "0031201234567",
        "E-Mail": "books@jansen.example",
        Kundennummer: "7",
      },
      {
        Konto: "10008",
        "Name (Adressattyp natürl. Person)": "Ada Lovelace",
        Adressattyp: "1",
        Kurzbezeichnung: "Ada Lovelace",
        Land: "GR",
        Kundennummer: "8",
      },
      {
        Konto: "10009",
        "Name (Adressattyp keine Angabe)": "Grace",
        Adressattyp: "0",
        Kurzbezeichnung: "Grace",
        Kundennummer: "9",
      },
    ]);
  });

  it("formats names by DATEV's rules, and omits erased customers whose documents are destroyed", async () => {
    const { events, store } = hostileBooks();
    store("account-1", instantAt(0), "PersonalDataErased.v1", {});
    const withoutBuyers = events.map((event) => ({
      ...event,
      data: JSON.stringify({ ...(JSON.parse(event.data) as object), buyer: "[erased]" }),
    }));
    const file = await customersOf(withoutBuyers);
    expect(datevBreaches(file, "16")).toEqual([]);
    expect(linesIn(file, datevCustomerColumns)[0]).toMatchObject({
      Konto: "10001",
      "Name (Adressattyp keine Angabe)": "Account 1",
    });
  });

  it("names an erased customer as in the last retained document", async () => {
    const { events, store } = hostileBooks();
    const buyer = { kind: "person", name: "Augusta King", city: "London", country: "GB" };
    store("account-1", instantAt(0), "InvoiceIssued.v3", { buyer: JSON.stringify(buyer) });
    store("account-1", instantAt(0), "CorrectionIssued.v3", { buyer: "" });
    store("account-1", instantAt(0), "PersonalDataErased.v1", {});
    const file = await customersOf(events);
    expect(linesIn(file, datevCustomerColumns)[0]).toMatchObject({
      Konto: "10001",
      "Name (Adressattyp natürl. Person)": "Augusta King",
      Ort: "London",
    });
  });
});
