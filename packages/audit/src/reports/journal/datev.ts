import { datevColumns } from "./datev-columns.ts";
import {
  datevCustomerAccount,
  DatevError,
  datevHead,
  datevLine,
  quoted,
  type DatevSettings,
} from "./datev-format.ts";
import type { JournalEntry, Posting, Transaction } from "./transactions.ts";

/** General accounts of a chart. On those with a rate DATEV extracts the VAT itself ("Automatikkonto"). */
interface Chart {
  readonly bank: string;
  /** Erlöse 19 % USt. */
  readonly revenue19: string;
  /** Erlöse, without VAT: exempt customers, and documents without a treatment of their own. */
  readonly revenue0: string;
  readonly adjustments: string;
  /** Durchlaufende Posten. */
  readonly unexplained: string;
}

const charts: Readonly<Record<DatevSettings["chart"], Chart>> = {
  skr03: { bank: "1200", revenue19: "8400", revenue0: "8200", adjustments: "2300", unexplained: "1590" },
  skr04: { bank: "1800", revenue19: "4400", revenue0: "4200", adjustments: "6300", unexplained: "1370" },
};

export function datevBatchHead(settings: DatevSettings): string {
  return datevHead("postings", datevColumns, settings);
}

/** Writes an entry as lines. @throws DatevError for a day outside the batch, or a number that does not fit its column. */
export function datevEntry(entry: JournalEntry, settings: DatevSettings): readonly string[] {
  if (entry.kind === "customer") return [];
  const { transaction } = entry;
  const day = transaction.time.slice(0, 10);
  if (day < settings.firstDay || day > settings.lastDay)
    throw new DatevError(
      `A movement of ${day} is outside the batch, ${settings.firstDay} to ${settings.lastDay}.`,
    );
  return pairsOf(transaction, settings)
    .filter(({ amountCents }) => amountCents !== 0n)
    .map((pair) => line(transaction, pair, settings));
}

/** Gross amount between the customer's account and another account. */
interface Pair {
  readonly contra: string;
  readonly amountCents: bigint;
  /** VAT that DATEV extracts from the amount, in cents. */
  readonly vatCents: bigint;
}

/** Returns the amounts by general account. Revenue and its VAT are one gross amount, because DATEV extracts the VAT. */
function pairsOf(
  { postings, vatRatePercent, vatCents }: Transaction,
  { accountLength, chart: name }: DatevSettings,
): readonly Pair[] {
  const contras = new Map<string, bigint>();
  let revenue: string | undefined;
  for (const { account, amountCents } of postings) {
    if (account.kind === "customer") continue;
    const contra = generalAccount(account, vatRatePercent, charts[name]).padEnd(accountLength, "0");
    if (account.kind === "revenue") revenue = contra;
    contras.set(contra, (contras.get(contra) ?? 0n) - amountCents);
  }
  return [...contras].flatMap(([contra, amountCents]) =>
    contra === revenue
      ? withVat(amountCents, vatCents, vatRatePercent).map((part) => ({ contra, ...part }))
      : [{ contra, amountCents, vatCents: 0n }],
  );
}

/**
 * Divides a gross amount so that the VAT which DATEV extracts from the parts is the document's to the cent. One part is the
 * rule. The VAT of a partial refund may differ by a cent from its exact share, because all refunds sum to the invoice
 * (ADR 0076); then two small parts shift the rounding.
 */
function withVat(
  amountCents: bigint,
  vatCents: bigint,
  ratePercent: number,
): readonly Pick<Pair, "amountCents" | "vatCents">[] {
  const part = (cents: bigint) => ({ amountCents: cents, vatCents: extractedVat(cents, ratePercent) });
  const whole = part(amountCents);
  if (whole.vatCents === vatCents) return [whole];
  for (let first = 1n; first <= mostShift; first++)
    for (let second = first; second <= mostShift; second++) {
      const parts = [part(amountCents - first - second), part(first), part(second)];
      if (parts.reduce((sum, each) => sum + each.vatCents, 0n) === vatCents) return parts;
    }
  throw new DatevError(
    `A VAT of ${figure(vatCents)} EUR cannot be extracted from ${figure(amountCents)} EUR at ${String(ratePercent)} %.`,
  );
}

/** Maximum cents of a part that shifts the rounding. */
const mostShift = 150n;

/** Returns the VAT contained in a gross amount, rounded half away from zero, as DATEV computes it. */
function extractedVat(grossCents: bigint, ratePercent: number): bigint {
  const rate = BigInt(Math.round(ratePercent * 100));
  const magnitude = grossCents < 0n ? -grossCents : grossCents;
  const whole = 10_000n + rate;
  const vat = (2n * magnitude * rate + whole) / (2n * whole);
  return grossCents < 0n ? -vat : vat;
}

function generalAccount(
  account: Exclude<Posting["account"], { kind: "customer" }>,
  vatRatePercent: number,
  chart: Chart,
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

function line(
  transaction: Transaction,
  { contra, amountCents, vatCents }: Pair,
  settings: DatevSettings,
): string {
  const { time, description, cause, vatRatePercent, accountId } = transaction;
  const cells = new Map<string, string>([
    ["Umsatz (ohne Soll/Haben-Kz)", figure(amountCents < 0n ? -amountCents : amountCents)],
    ["Soll/Haben-Kennzeichen", amountCents < 0n ? '"H"' : '"S"'],
    ["WKZ Umsatz", '"EUR"'],
    ["Konto", datevCustomerAccount(accountId, settings)],
    ["Gegenkonto (ohne BU-Schlüssel)", contra],
    ["Belegdatum", `${time.slice(8, 10)}${time.slice(5, 7)}`],
    ["Belegfeld 1", quoted(voucherOf(transaction), 36)],
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
  return datevLine(datevColumns, cells);
}

/** Returns the document's number, or the movement's cause where it has no document, in DATEV's characters. */
function voucherOf({ documentNumber, cause, factId }: Transaction): string {
  const voucher = [documentNumber, cause, factId]
    .map((text) => text.replaceAll(/[^A-Za-z0-9$&%*+\-/]/gu, "-").replace(/^[+-]+/u, ""))
    .find((text) => text !== "");
  return voucher ?? "0";
}

function figure(cents: bigint): string {
  const magnitude = String(cents < 0n ? -cents : cents).padStart(3, "0");
  if (magnitude.length > 12) throw new DatevError(`${magnitude} cents are more than a line can hold.`);
  return `${cents < 0n ? "-" : ""}${magnitude.slice(0, -2)},${magnitude.slice(-2)}`;
}
