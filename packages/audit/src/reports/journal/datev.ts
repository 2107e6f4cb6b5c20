import type { JournalAccount, JournalEntry, Posting, Transaction } from "./transactions.ts";
import { plainLine } from "../render/text.ts";

/** Settings of a DATEV posting batch ("Buchungsstapel", format version 13; DATEV, "DATEV-Format"), in Latin-1. */
export interface DatevSettings {
  /** The tax consultant's number ("Beraternummer"), 1001 to 9999999. */
  readonly consultant: number;
  /** The consultant's number of the client ("Mandantennummer"), 1 to 99999. */
  readonly client: number;
  /** First day of the batch, for example `2026-01-01`. The fiscal year is its calendar year. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Digits of a general account ("Sachkontenlänge"), 4 to 8; a customer's account has one more. */
  readonly accountLength: number;
  /** Creation time of the batch: ISO 8601 UTC with six fractional digits. */
  readonly createdAt: string;
}

/** Thrown for books that a batch cannot represent; the message is a sentence. */
export class DatevError extends Error {
  override readonly name = "DatevError";
}

/** General accounts of SKR03. On 8400 DATEV extracts the VAT itself ("Automatikkonto"); 8200 is without VAT. */
const chart = {
  bank: "1200",
  revenue19: "8400",
  revenue0: "8200",
  adjustments: "2300",
  unexplained: "1590",
} as const;

/** Personal accounts of customers ("Debitoren") begin with 1 to 6. */
const customersBegin = 1n;
const customersEnd = 7n;

export function datevHead(settings: DatevSettings): string {
  const { consultant, client, firstDay, lastDay, accountLength, createdAt } = settings;
  const header = [
    '"EXTF"',
    "700",
    "21",
    '"Buchungsstapel"',
    "13",
    createdAt.replaceAll(/\D/gu, "").slice(0, 17),
    "",
    '"HL"',
    '"Hostledger"',
    '""',
    String(consultant),
    String(client),
    `${firstDay.slice(0, 4)}0101`,
    String(accountLength),
    compact(firstDay),
    compact(lastDay),
    '"Hostledger"',
    '""',
    "1",
    "0",
    "0",
    '"EUR"',
    "",
    '""',
    "",
    "",
    '"03"',
    "",
    "",
    '""',
    '""',
  ];
  return `${header.join(";")}\r\n${datevColumns.join(";")}\r\n`;
}

/** Writes an entry as lines. @throws DatevError for a day outside the batch, or a number that does not fit its column. */
export function datevEntry(entry: JournalEntry, settings: DatevSettings): string {
  if (entry.kind === "customer") return "";
  const { transaction } = entry;
  const day = transaction.time.slice(0, 10);
  if (day < settings.firstDay || day > settings.lastDay)
    throw new DatevError(
      `A movement of ${day} is outside the batch, ${settings.firstDay} to ${settings.lastDay}.`,
    );
  return pairsOf(transaction, settings)
    .filter(({ amountCents }) => amountCents !== 0n)
    .map((pair) => line(transaction, pair, settings))
    .join("");
}

/** Gross amount between the customer's account and another account. */
interface Pair {
  readonly contra: string;
  readonly amountCents: bigint;
}

function pairsOf(
  { postings, vatRatePercent }: Transaction,
  { accountLength }: DatevSettings,
): readonly Pair[] {
  const contras = new Map<string, bigint>();
  for (const { account, amountCents } of postings) {
    if (account.kind === "customer") continue;
    const contra = generalAccount(account, vatRatePercent).padEnd(accountLength, "0");
    contras.set(contra, (contras.get(contra) ?? 0n) - amountCents);
  }
  return [...contras].map(([contra, amountCents]) => ({ contra, amountCents }));
}

/** Returns the general account. Revenue and its VAT are one gross amount, because DATEV extracts the VAT. */
function generalAccount(
  account: Exclude<Posting["account"], { kind: "customer" }>,
  vatRatePercent: number,
): string {
  switch (account.kind) {
    case "bank":
      return chart.bank;
    case "adjustments":
      return chart.adjustments;
    case "unexplained":
      return chart.unexplained;
    case "revenue":
    case "vat":
      if (vatRatePercent === 19) return chart.revenue19;
      if (vatRatePercent === 0) return chart.revenue0;
      throw new DatevError(`There is no revenue account for a VAT rate of ${String(vatRatePercent)} %.`);
  }
}

function line(transaction: Transaction, { contra, amountCents }: Pair, settings: DatevSettings): string {
  const { time, documentNumber, description, cause, vatCents, vatRatePercent, accountId } = transaction;
  const cells = new Map<string, string>([
    ["Umsatz (ohne Soll/Haben-Kz)", figure(amountCents < 0n ? -amountCents : amountCents)],
    ["Soll/Haben-Kennzeichen", amountCents < 0n ? '"H"' : '"S"'],
    ["WKZ Umsatz", '"EUR"'],
    ["Konto", customerAccount({ kind: "customer", accountId }, settings)],
    ["Gegenkonto (ohne BU-Schlüssel)", contra],
    ["Belegdatum", `${time.slice(8, 10)}${time.slice(5, 7)}`],
    ["Belegfeld 1", quoted(documentNumber.replaceAll(/[^A-Za-z0-9$&%*+\-/]/gu, "-"), 36)],
    ["Buchungstext", quoted(description, 60)],
    ["Beleginfo - Art 1", '"Cause"'],
    ["Beleginfo - Inhalt 1", quoted(cause, 210)],
    ["Zusatzinformation - Art 1", '"Fact"'],
    ["Zusatzinformation- Inhalt 1", quoted(transaction.factId, 210)],
  ]);
  if (vatCents !== 0n) {
    cells.set("Zusatzinformation - Art 2", quoted(`USt ${String(vatRatePercent)} %`, 20));
    cells.set("Zusatzinformation- Inhalt 2", `"${figure(vatCents)}"`);
  }
  return `${datevColumns.map((column) => cells.get(column) ?? "").join(";")}\r\n`;
}

/** Returns the customer's personal account, for example 10007 for account 7 and general accounts of four digits. */
function customerAccount(
  { accountId }: Extract<JournalAccount, { kind: "customer" }>,
  { accountLength }: DatevSettings,
): string {
  const unit = 10n ** BigInt(accountLength);
  const number = customersBegin * unit + BigInt(accountId);
  if (number < customersEnd * unit) return String(number);
  throw new DatevError(
    `Account ${String(accountId)} has no place among customers' accounts of ${String(accountLength + 1)} digits: choose longer accounts.`,
  );
}

function figure(cents: bigint): string {
  const magnitude = String(cents < 0n ? -cents : cents).padStart(3, "0");
  if (magnitude.length > 12) throw new DatevError(`${magnitude} cents are more than a line can hold.`);
  return `${cents < 0n ? "-" : ""}${magnitude.slice(0, -2)},${magnitude.slice(-2)}`;
}

/** Quotes untrusted text: one line of Latin-1 with limited length, never a formula. */
function quoted(text: string, limit: number): string {
  const latin = plainLine(text)
    .normalize("NFKC")
    .replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, "?")
    .trim();
  const safe = /^[=+\-@]/u.test(latin) ? `'${latin}` : latin;
  return `"${safe.slice(0, limit).replaceAll('"', '""')}"`;
}

function compact(day: string): string {
  return day.replaceAll("-", "");
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The 125 columns of a posting batch, format version 13, in DATEV's order and spelling (DATEV, "Buchungsstapel"). */
export const datevColumns: readonly string[] = [
  "Umsatz (ohne Soll/Haben-Kz)",
  "Soll/Haben-Kennzeichen",
  "WKZ Umsatz",
  "Kurs",
  "Basis-Umsatz",
  "WKZ Basis-Umsatz",
  "Konto",
  "Gegenkonto (ohne BU-Schlüssel)",
  "BU-Schlüssel",
  "Belegdatum",
  "Belegfeld 1",
  "Belegfeld 2",
  "Skonto",
  "Buchungstext",
  "Postensperre",
  "Diverse Adressnummer",
  "Geschäftspartnerbank",
  "Sachverhalt",
  "Zinssperre",
  "Beleglink",
  ...upTo(8).flatMap((n) => [`Beleginfo - Art ${String(n)}`, `Beleginfo - Inhalt ${String(n)}`]),
  "KOST1 - Kostenstelle",
  "KOST2 - Kostenstelle",
  "Kost-Menge",
  "EU-Land u. UStID (Bestimmung)",
  "EU-Steuersatz (Bestimmung)",
  "Abw. Versteuerungsart",
  "Sachverhalt L+L",
  "Funktionsergänzung L+L",
  "BU 49 Hauptfunktionstyp",
  "BU 49 Hauptfunktionsnummer",
  "BU 49 Funktionsergänzung",
  ...upTo(20).flatMap((n) => [
    `Zusatzinformation - Art ${String(n)}`,
    `Zusatzinformation- Inhalt ${String(n)}`,
  ]),
  "Stück",
  "Gewicht",
  "Zahlweise",
  "Forderungsart",
  "Veranlagungsjahr",
  "Zugeordnete Fälligkeit",
  "Skontotyp",
  "Auftragsnummer",
  "Buchungstyp",
  "USt-Schlüssel (Anzahlungen)",
  "EU-Land (Anzahlungen)",
  "Sachverhalt L+L (Anzahlungen)",
  "EU-Steuersatz (Anzahlungen)",
  "Erlöskonto (Anzahlungen)",
  "Herkunft-Kz",
  "Buchungs GUID",
  "KOST-Datum",
  "SEPA-Mandatsreferenz",
  "Skontosperre",
  "Gesellschaftername",
  "Beteiligtennummer",
  "Identifikationsnummer",
  "Zeichnernummer",
  "Postensperre bis",
  "Bezeichnung SoBil-Sachverhalt",
  "Kennzeichen SoBil-Buchung",
  "Festschreibung",
  "Leistungsdatum",
  "Datum Zuord. Steuerperiode",
  "Fälligkeit",
  "Generalumkehr (GU)",
  "Steuersatz",
  "Land",
  "Abrechnungsreferenz",
  "BVV-Position",
  "EU-Land u. UStID (Ursprung)",
  "EU-Steuersatz (Ursprung)",
  "Abw. Skontokonto",
];
