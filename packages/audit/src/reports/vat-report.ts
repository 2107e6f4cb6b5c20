import { formatEuros } from "@hostledger/core";

import { moneyEvent } from "./account-history.ts";
import { documentTaxOf, type DocumentTax } from "./document-tax.ts";
import type { Events, OnUnreadable } from "./event.ts";
import { columns } from "./render/text.ts";
import { csvRow, ownCell, textCell } from "./render/csv.ts";

/** Event types of a VAT report, without version. */
export const vatReportTypes: readonly string[] = ["InvoiceIssued", "CorrectionIssued"];

/** Amounts of a line in cents (EUR). Corrections are contained, in the period of their own date (§17 (1) UStG). */
interface Amounts {
  readonly netCents: bigint;
  readonly vatCents: bigint;
}

/** A line of the German preliminary VAT return (Umsatzsteuer-Voranmeldung, form USt 1 A). */
export interface ReturnLine extends Amounts {
  /** Number on the form ("Kennzahl"); empty for small businesses, which file no return. */
  readonly number: string;
  readonly meaning: string;
}

/** VAT of one member state at one rate, for the One Stop Shop. */
export interface OssLine extends Amounts {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly ratePercent: number;
}

/** Services to one VAT id, for the recapitulative statement ("Zusammenfassende Meldung", §18a UStG). */
export interface RecapitulativeLine {
  /** Empty for buyers whose VAT id cannot be read, for example because their data was erased. */
  readonly vatId: string;
  readonly netCents: bigint;
}

export interface VatReport {
  /** First and last business date, YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  readonly documents: number;
  /** Documents without terms of their own, whose supply periods are estimated. */
  readonly estimated: number;
  readonly returnLines: readonly ReturnLine[];
  readonly oss: readonly OssLine[];
  readonly recapitulative: readonly RecapitulativeLine[];
}

/** Lines of the form by number. */
const lines = {
  "21": "Services taxed in another member state, reverse charge (§18b UStG)",
  "35": "Taxable supplies at other rates",
  "45": "Other supplies whose place is not in Germany",
  "48": "Exempt supplies without input tax deduction",
  "81": "Taxable supplies at 19 %",
  "86": "Taxable supplies at 7 %",
  "": "Supplies of a small business (§19 UStG)",
} as const;

type LineNumber = keyof typeof lines;

/**
 * Sums the VAT of all documents whose business date is in a period.
 * @param events events of all accounts, from the start.
 * @param onUnreadable receives a sentence about each document that the report omits.
 */
export async function vatReport(
  events: Events,
  { from, to }: Pick<VatReport, "from" | "to">,
  onUnreadable: OnUnreadable,
): Promise<VatReport> {
  const returnLines = new Sums();
  const oss = new Sums();
  const recapitulative = new Sums();
  let documents = 0;
  let estimated = 0;
  for await (const auditedEvent of events) {
    const event = moneyEvent(auditedEvent, onUnreadable);
    if (event?.type !== "InvoiceIssued" && event?.type !== "CorrectionIssued") continue;
    const tax = documentTaxOf(event);
    if (tax === undefined || tax.businessDate < from || tax.businessDate > to) continue;
    documents++;
    if (tax.isSupplyEstimated) estimated++;
    const amounts = { netCents: BigInt(event.data.netCents), vatCents: BigInt(event.data.vatCents) };
    returnLines.add(lineOf(tax), tax.reason === "oss" ? { ...amounts, vatCents: 0n } : amounts);
    if (tax.reason === "oss") oss.add(`${tax.country} ${String(tax.ratePercent)}`, amounts);
    if (tax.category === "AE") recapitulative.add(tax.buyerVatId, amounts);
  }
  return {
    from,
    to,
    documents,
    estimated,
    returnLines: Object.entries(lines).flatMap(([number, meaning]) => {
      const sum = returnLines.of(number);
      return sum === undefined ? [] : [{ number, meaning, ...sum }];
    }),
    oss: oss.sorted().map(([key, sum]) => {
      const [country = "", rate = ""] = key.split(" ");
      return { country, ratePercent: Number(rate), ...sum };
    }),
    recapitulative: recapitulative.sorted().map(([vatId, { netCents }]) => ({ vatId, netCents })),
  };
}

/** Returns the line of the form to which a document belongs. */
function lineOf({ category, reason, ratePercent }: DocumentTax): LineNumber {
  if (category === "AE") return "21";
  if (category === "O" || reason === "oss") return "45";
  if (reason === "small-business") return "";
  if (category === "E") return "48";
  return ratePercent === 19 ? "81" : ratePercent === 7 ? "86" : "35";
}

/** Sums of amounts by a key. */
class Sums {
  readonly #sums = new Map<string, Amounts>();

  add(key: string, { netCents, vatCents }: Amounts): void {
    const sum = this.#sums.get(key) ?? { netCents: 0n, vatCents: 0n };
    this.#sums.set(key, { netCents: sum.netCents + netCents, vatCents: sum.vatCents + vatCents });
  }

  of(key: string): Amounts | undefined {
    return this.#sums.get(key);
  }

  sorted(): readonly (readonly [string, Amounts])[] {
    return [...this.#sums].sort(([left], [right]) => (left < right ? -1 : 1));
  }
}

/** Returns the report as a JSON document. */
export function vatReportDocument(report: VatReport) {
  const { from, to, documents, estimated } = report;
  const amounts = ({ netCents, vatCents }: Amounts) => ({
    net: formatEuros(netCents),
    vat: formatEuros(vatCents),
  });
  return {
    from,
    to,
    currency: "EUR",
    documents,
    estimated_supply_periods: estimated,
    return: report.returnLines.map(({ number, meaning, ...sums }) => ({
      line: number,
      meaning,
      ...amounts(sums),
    })),
    oss: report.oss.map(({ country, ratePercent, ...sums }) => ({
      country,
      rate: ratePercent,
      ...amounts(sums),
    })),
    recapitulative: report.recapitulative.map(({ vatId, netCents }) => ({
      vat_id: vatId === "" ? null : vatId,
      net: formatEuros(netCents),
    })),
  };
}

const head = ["part", "line", "country", "rate", "vat_id", "net", "vat"] as const;

/** Returns the report as CSV, one row for each line of each part. */
export function vatReportCsv(report: VatReport): string {
  // The VAT id alone was written by others.
  const cells = (row: readonly string[]) =>
    row.map((cell, index) => (head[index] === "vat_id" ? textCell(cell) : ownCell(cell)));
  return [head, ...rowsOf(report)].map((row) => csvRow(cells(row))).join("");
}

/** Returns the report as text in columns. */
export function vatReportText(report: VatReport): string {
  const { from, to, documents, estimated } = report;
  const older = estimated === 0 ? "" : ` The supply periods of ${String(estimated)} are estimated.`;
  const title = `VAT of ${String(documents)} documents dated ${from} to ${to}, in EUR.${older}\n\n`;
  return title + columns([head, ...rowsOf(report)], new Set([5, 6]));
}

function rowsOf(report: VatReport): readonly (readonly string[])[] {
  return [
    ...report.returnLines.map(({ number, netCents, vatCents }) => [
      "return",
      number === "" ? "small business" : number,
      "",
      "",
      "",
      formatEuros(netCents),
      formatEuros(vatCents),
    ]),
    ...report.oss.map(({ country, ratePercent, netCents, vatCents }) => [
      "oss",
      "",
      country,
      String(ratePercent),
      "",
      formatEuros(netCents),
      formatEuros(vatCents),
    ]),
    ...report.recapitulative.map(({ vatId, netCents }) => [
      "recapitulative",
      "",
      vatId.slice(0, 2),
      "",
      vatId === "" ? "unreadable" : vatId,
      formatEuros(netCents),
      "",
    ]),
  ];
}
