import { readFileSync } from "node:fs";
import { join } from "node:path";

import { datevColumns } from "@hostledger/audit/testing";
import { formatEuros } from "@hostledger/core";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { itemsOf, objectOf } from "../matchers.ts";
import type { Customer } from "../staff-client.ts";
import type { Year } from "./tax-year.play.ts";
import type { SellersTable, TableRow } from "./tax-year.table.ts";

/** A document as its customer downloads it. */

/** A document as its customer downloads it. */
export interface Downloaded {
  readonly row: Omit<TableRow, "contra" | "state">;
  /** Text that the law requires on it; empty at a standard rate. */
  readonly legalText: string;
  readonly pdf: Uint8Array;
  /** Undefined for receipts. */
  readonly xml: Uint8Array | undefined;
}

/** Downloads all documents of a customer, in the order of their issue. */
export async function documentsOf(year: Year, name: string): Promise<readonly Downloaded[]> {
  const customer = year.customers.get(name);
  if (customer === undefined) throw new Error(`there is no customer ${name}`);
  const documents: Downloaded[] = [];
  for (const { id } of itemsOf((await customer.get("/billing/invoices")).body)) {
    const path = `/billing/invoices/${String(id)}`;
    const shown = objectOf((await customer.get(path)).body);
    const isReceipt = shown.action === "topup";
    const xml = isReceipt ? undefined : await bytesOf(year, customer, `${path}.xml`);
    const text = Buffer.from(xml ?? []).toString();
    const [, ...date] = /<udt:DateTimeString format="102">(\d{4})(\d\d)(\d\d)</u.exec(text) ?? [];
    documents.push({
      row: {
        customer: name,
        number: String(shown.number),
        date: isReceipt ? String(shown.created_at).slice(0, 10) : date.join("-"),
        sold: isReceipt ? "payment" : shown.domain_id === null ? "server" : "domain",
        netCents: cents(shown.netto),
        vatCents: cents(shown.vat),
        ratePercent: Number(shown.vat_rate),
        category: /<ram:CategoryCode>([A-Z]+)</u.exec(text)?.[1] ?? "-",
      },
      legalText: /<ram:ExemptionReason>([^<]*)</u.exec(text)?.[1] ?? "",
      pdf: await bytesOf(year, customer, `${path}.pdf`),
      xml,
    });
  }
  return documents;
}

function cents(euros: unknown): number {
  return Math.round(Number(euros) * 100);
}

async function bytesOf({ instance }: Year, { apiKey }: Customer, path: string): Promise<Uint8Array> {
  const response = await fetch(`${instance.baseUrl}${path}`, { headers: { authorization: apiKey } });
  if (response.status !== 200) throw new Error(`GET ${path} answers ${String(response.status)}`);
  return response.bytes();
}

/** Writes the books in a format to a file that lives as long as `use`. */
export async function withBooks<Result>(
  year: Year,
  options: string,
  use: (file: string) => Promise<Result> | Result,
): Promise<Result> {
  const directory = temporaryDirectory();
  try {
    const file = join(directory.path, "books");
    await year.said(`audit journal ${options} --output ${file}`);
    return await use(file);
  } finally {
    directory.remove();
  }
}

/**
 * Returns the trial balance of a table: amounts in euros by account, debits positive. Customers' accounts have their
 * remaining balances.
 */
export function trialBalance({ accounts, closing }: SellersTable): ReadonlyMap<string, string> {
  const customers = Object.values(closing).map(
    (left, index) => [`Liabilities:Customers:${String(index + 1)}`, -left] as const,
  );
  return new Map(
    [...Object.entries(accounts), ...customers].map(([account, amount]) => [
      account,
      formatEuros(BigInt(amount)),
    ]),
  );
}

/** Account ids begin with 1, in the order of the table. */
const accountIdOf = (row: TableRow): string => row.number.split("-")[1] ?? "";

/** The postings of a document as the CSV journal has them: number, account, amount in euros. */
export function postingsOf(row: TableRow): readonly string[] {
  const { number, sold, netCents, vatCents } = row;
  const customer = `Liabilities:Customers:${accountIdOf(row)}`;
  const income = sold === "domain" ? "Income:Domains" : "Income:Servers";
  const postings =
    sold === "payment"
      ? [["Assets:Bank", netCents] as const, [customer, -netCents] as const]
      : [
          [customer, netCents + vatCents] as const,
          [income, -netCents] as const,
          ...(vatCents === 0 ? [] : [["Liabilities:VAT", -vatCents] as const]),
        ];
  return postings.map(([account, amount]) => `${number} ${account} ${formatEuros(BigInt(amount))}`);
}

/** Reads the postings of the CSV journal in the same words. */
export function postingsIn(csv: string): readonly string[] {
  const [head = "", ...lines] = csv.trimEnd().split("\r\n");
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",").map((cell) => cell.replaceAll('"', ""));
    const cell = (name: string): string => cells[names.indexOf(name)] ?? "";
    return `${cell("document_number")} ${cell("account")} ${cell("amount_eur")}`;
  });
}

const datevShown = [
  "Belegfeld 1",
  "Belegdatum",
  "Umsatz (ohne Soll/Haben-Kz)",
  "Soll/Haben-Kennzeichen",
  "Konto",
  "Gegenkonto (ohne BU-Schlüssel)",
  "EU-Land u. UStID (Bestimmung)",
  "EU-Steuersatz (Bestimmung)",
];

/** The line of a document in a DATEV batch: a debit (S) of the customer, or a credit (H). */
export function datevLineOf(row: TableRow): string {
  const { number, date, sold, netCents, vatCents, ratePercent, contra, state } = row;
  const gross = sold === "payment" ? -netCents : netCents + vatCents;
  return [
    number,
    `${date.slice(8, 10)}${date.slice(5, 7)}`,
    formatEuros(BigInt(Math.abs(gross))).replace(".", ","),
    gross < 0 ? "H" : "S",
    `1000${accountIdOf(row)}`,
    contra,
    state === "-" ? "" : state,
    contra === "8331" ? `${String(ratePercent)},00` : "",
  ].join(";");
}

/** Reads the lines of a DATEV batch in the same words. */
export function datevLinesIn(batch: string): readonly string[] {
  return batch
    .split("\r\n")
    .slice(2, -1)
    .map((line) => {
      const cells = line.split(";").map((cell) => cell.replaceAll('"', ""));
      return datevShown.map((name) => cells[datevColumns.indexOf(name)] ?? "").join(";");
    });
}

/** Reads a DATEV file, which is Latin-1. */
export function datevText(file: string): string {
  return readFileSync(file, "latin1");
}
