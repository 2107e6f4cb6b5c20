import { describe, expect, it } from "vitest";

import { balanceByHand, charge, createBooks, instantAt, open, pay, textOf } from "../books.fixture.ts";
import type { Fact } from "../fact.ts";
import { datevColumns, DatevError, type DatevSettings } from "./datev.ts";
import { hostileBooks, largeBooks, smallBooks } from "./journal.fixture.ts";
import { writeJournal } from "./write-journal.ts";

const settings: DatevSettings = {
  consultant: 29_098,
  client: 55_003,
  accountLength: 4,
  firstDay: "2026-01-01",
  lastDay: "2026-12-31",
  createdAt: "2026-01-30T14:04:40.439000Z",
};

const batchOf = (facts: readonly Fact[], changes: Partial<DatevSettings> = {}): Promise<string> =>
  textOf(writeJournal(facts, { format: "datev", datev: { ...settings, ...changes } }), "latin1");

function linesIn(batch: string): readonly Readonly<Record<string, string>>[] {
  return batch
    .split("\r\n")
    .slice(2, -1)
    .map((line) => {
      const cells = [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"|([^";]*))/gu)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
      );
      expect(cells).toHaveLength(datevColumns.length);
      return Object.fromEntries(datevColumns.map((column, index) => [column, cells[index] ?? ""]));
    });
}

function customerCents(line: Readonly<Record<string, string>>): bigint {
  const cents = BigInt((line["Umsatz (ohne Soll/Haben-Kz)"] ?? "").replace(",", ""));
  return line["Soll/Haben-Kennzeichen"] === "H" ? -cents : cents;
}

describe("a DATEV batch", () => {
  it("has the header and the columns of format version 13", async () => {
    const [header, columns] = (await batchOf(smallBooks().facts)).split("\r\n");
    expect(header).toBe(
      '"EXTF";700;21;"Buchungsstapel";13;20260130140440439;;"HL";"Hostledger";"";29098;55003;20260101;4;' +
        '20260101;20261231;"Hostledger";"";1;0;0;"EUR";;"";;;"03";;;"";""',
    );
    expect(columns?.split(";")).toHaveLength(125);
    expect(columns).toMatch(/^Umsatz \(ohne Soll\/Haben-Kz\);.*;Abw\. Skontokonto$/u);
  });

  it("posts a payment to the bank, a charge to revenue that splits its VAT, and a refund back", async () => {
    const lines = linesIn(await batchOf(smallBooks().facts)).map((line) =>
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

  it("leaves customers with what the facts say, and VAT that the account splits off as documents have it", async () => {
    const books = largeBooks();
    const lines = linesIn(await batchOf(books.facts));
    for (let id = 1; id <= 40; id++) {
      const own = lines.filter(({ Konto }) => Konto === String(10_000 + id));
      const sum = own.reduce((cents, line) => cents + customerCents(line), 0n);
      expect(sum).toBe(-balanceByHand(books.facts, id, "9999"));
    }
    const automatic = lines.filter((line) => line["Gegenkonto (ohne BU-Schlüssel)"] === "8400");
    expect(automatic.length).toBeGreaterThan(500);
    for (const line of automatic) {
      const gross = customerCents(line);
      const magnitude = gross < 0n ? -gross : gross;
      // DATEV computes the VAT contained in the gross amount, rounded to the nearest cent.
      const split = (2n * magnitude * 19n + 119n) / 238n;
      const reported = (line["Zusatzinformation- Inhalt 2"] ?? "0").replace(",", "").replace("-", "");
      const vat = BigInt(reported === "" ? "0" : reported);
      // Partial refunds sum to the invoice, so the VAT of one may differ by a cent from its exact share (ADR 0076).
      const isPart = /^"?Correction of .*: case-\d+"?$/u.test(line.Buchungstext ?? "");
      expect(isPart ? [split - 1n, split, split + 1n] : [split]).toContain(vat);
    }
  });

  it("holds texts of others in one line of Latin-1, without a formula", async () => {
    const batch = await batchOf(hostileBooks().facts);
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
    await expect(batchOf(books.facts)).rejects.toThrow(
      new DatevError(
        "Account 60000 has no place among customers' accounts of 5 digits: choose longer accounts.",
      ),
    );
    expect(linesIn(await batchOf(books.facts, { accountLength: 6 }))).toMatchObject([
      { Konto: "1060000", "Gegenkonto (ohne BU-Schlüssel)": "120000" },
    ]);
  });

  it("refuses a movement of another day, and a charge that has no account", async () => {
    await expect(batchOf(smallBooks().facts, { lastDay: "2026-01-05" })).rejects.toThrow(
      "A movement of 2026-01-06 is outside the batch, 2026-01-01 to 2026-01-05.",
    );
    const books = createBooks();
    books.command(7, instantAt(0), open(7));
    books.command(7, instantAt(1), pay("bank-1", 10_000n));
    books.command(7, instantAt(2), charge("registration-1", 1_000n));
    const other = books.facts.map((fact) => ({
      ...fact,
      data: fact.data.replace('Percent":19', 'Percent":7'),
    }));
    await expect(batchOf(other)).rejects.toThrow("There is no revenue account for a VAT rate of 7 %.");
  });
});
