import { plainLine } from "../render/text.ts";

/** Charts of accounts that DATEV ships ("Standardkontenrahmen"). */
export const datevCharts = ["skr03", "skr04"] as const;

export type DatevChart = (typeof datevCharts)[number];

/** Settings of DATEV files ("DATEV-Format", EXTF, header version 700), in Latin-1. */
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
  /** Chart of the general accounts. */
  readonly chart: DatevChart;
  /** Creation time of the file: ISO 8601 UTC with six fractional digits. */
  readonly createdAt: string;
}

/** Thrown for books that a DATEV file cannot represent; the message is a sentence. */
export class DatevError extends Error {
  override readonly name = "DatevError";
}

/** Maximum postings in one file ("Buchungsstapel"); DATEV refuses a file with more. */
export const datevMostPostings = 99_999;

/** Categories of files. */
const categories = {
  postings: { number: 21, name: "Buchungsstapel", version: 13 },
  customers: { number: 16, name: "Debitoren/Kreditoren", version: 5 },
} as const;

/** Writes the header and the names of the columns. */
export function datevHead(
  category: keyof typeof categories,
  columns: readonly string[],
  { consultant, client, firstDay, lastDay, accountLength, chart, createdAt }: DatevSettings,
): string {
  const { number, name, version } = categories[category];
  const isBatch = category === "postings";
  const header = [
    '"EXTF"',
    "700",
    String(number),
    `"${name}"`,
    String(version),
    createdAt.replaceAll(/\D/gu, "").slice(0, 17),
    "",
    '"HL"',
    '"Hostledger"',
    '""',
    String(consultant),
    String(client),
    `${firstDay.slice(0, 4)}0101`,
    String(accountLength),
    isBatch ? compactDay(firstDay) : "",
    isBatch ? compactDay(lastDay) : "",
    '"Hostledger"',
    '""',
    isBatch ? "1" : "",
    isBatch ? "0" : "",
    isBatch ? "0" : "",
    '"EUR"',
    "",
    '""',
    "",
    "",
    `"${chart.slice(-2)}"`,
    "",
    "",
    '""',
    '""',
  ];
  return `${header.join(";")}\r\n${columns.join(";")}\r\n`;
}

/** Writes a line; columns that `cells` lacks are empty. */
export function datevLine(columns: readonly string[], cells: ReadonlyMap<string, string>): string {
  return `${columns.map((column) => cells.get(column) ?? "").join(";")}\r\n`;
}

/** Personal accounts of customers ("Debitoren") begin with 1 to 6. */
const customersBegin = 1n;
const customersEnd = 7n;

/** Returns the customer's personal account, for example 10007 for account 7 and general accounts of four digits. */
export function datevCustomerAccount(
  accountId: number,
  { accountLength }: Pick<DatevSettings, "accountLength">,
): string {
  const unit = 10n ** BigInt(accountLength);
  const number = customersBegin * unit + BigInt(accountId);
  if (number < customersEnd * unit) return String(number);
  throw new DatevError(
    `Account ${String(accountId)} has no place among customers' accounts of ${String(accountLength + 1)} digits: choose longer accounts.`,
  );
}

/** Quotes untrusted text: one line of Latin-1 with limited length, never a formula. */
export function quoted(text: string, limit: number): string {
  const latin = plainLine(text)
    .normalize("NFKC")
    .replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, "?")
    .trim();
  const safe = /^[=+\-@]/u.test(latin) ? `'${latin}` : latin;
  return `"${safe.slice(0, limit).trimEnd().replaceAll('"', '""')}"`;
}

export function compactDay(day: string): string {
  return day.replaceAll("-", "");
}
