import { datevColumns } from "./datev-columns.ts";
import {
  datevCustomerAccount,
  DatevError,
  datevHead,
  datevLine,
  quoted,
  type DatevSettings,
} from "./datev-format.ts";
import type { DocumentTax } from "../document-tax.ts";
import type { JournalAccount } from "./journal-accounts.ts";
import type { JournalEntry, Transaction } from "./transaction.ts";

/** General accounts of a chart. On those with a rate DATEV extracts the VAT itself ("Automatikkonto"). */
interface Chart {
  /** The first bank account and payments that staff typed; then those of further bank accounts ("Bank 1" to "Bank 5"). */
  readonly banks: readonly string[];
  /** Geldtransit: money that payment providers have. */
  readonly provider: string;
  /** Nebenkosten des Geldverkehrs. */
  readonly fees: string;
  /** Sonstige Verrechnungskonten (Interimskonto). */
  readonly suspense: string;
  /** Sonstige Verbindlichkeiten. */
  readonly ordered: string;
  /** Erlöse 19 % USt. */
  readonly revenue19: string;
  /** Erlöse, without VAT: customers whom staff exempted. */
  readonly revenue0: string;
  /** Erlöse aus im anderen EU-Land steuerpflichtigen elektronischen Dienstleistungen (One Stop Shop). */
  readonly oss: string;
  /** Erlöse aus im anderen EU-Land steuerpflichtigen sonstigen Leistungen, für die der Leistungsempfänger die Umsatzsteuer schuldet. */
  readonly reverseCharge: string;
  /** Erlöse aus im Drittland steuerbaren Leistungen, im Inland nicht steuerbare Umsätze. */
  readonly outsideUnion: string;
  /** Steuerfreie Erlöse Kleinunternehmer nach § 19 Abs. 1 UStG. */
  readonly smallBusiness: string;
  readonly adjustments: string;
  /** Durchlaufende Posten. */
  readonly unexplained: string;
}

const charts: Readonly<Record<DatevSettings["chart"], Chart>> = {
  skr03: {
    banks: ["1200", "1210", "1220", "1230", "1240", "1250"],
    provider: "1360",
    fees: "4970",
    suspense: "1792",
    ordered: "1700",
    revenue19: "8400",
    revenue0: "8200",
    oss: "8331",
    reverseCharge: "8336",
    outsideUnion: "8338",
    smallBusiness: "8192",
    adjustments: "2300",
    unexplained: "1590",
  },
  skr04: {
    banks: ["1800", "1810", "1820", "1830", "1840", "1850"],
    provider: "1460",
    fees: "6855",
    suspense: "3630",
    ordered: "3500",
    revenue19: "4400",
    revenue0: "4200",
    oss: "4331",
    reverseCharge: "4336",
    outsideUnion: "4338",
    smallBusiness: "4184",
    adjustments: "6300",
    unexplained: "1370",
  },
};

export function datevBatchHead(settings: DatevSettings): string {
  return datevHead("postings", datevColumns, settings);
}

/**
 * Returns a function that writes entries as lines; none for a movement whose date is outside the batch. Bank
 * accounts are numbered in the order of the entries, which never changes.
 * @throws DatevError for a number that does not fit its column, and for a rate or a bank account without an account
 * of the chart.
 */
export function datevEntries(settings: DatevSettings): (entry: JournalEntry) => readonly string[] {
  const ibans: string[] = [];
  return (entry) => {
    if (entry.kind === "account" && entry.account.kind === "bank") ibans.push(entry.account.iban ?? "");
    if (entry.kind !== "transaction") return [];
    const { transaction } = entry;
    const { day } = transaction;
    if (day < settings.firstDay || day > settings.lastDay) return [];
    return pairsOf(transaction, settings, ibans)
      .filter(({ amountCents }) => amountCents !== 0n)
      .map((pair) => line(transaction, pair));
  };
}

/** Gross amount between two accounts; one is the customer's, or the first of a movement outside. */
interface Pair {
  readonly own: string;
  readonly contra: string;
  /** Debit of `own`, in cents. */
  readonly amountCents: bigint;
  /** VAT that DATEV extracts from the amount, in cents. */
  readonly vatCents: bigint;
}

/** Returns the amounts by general account. Revenue and its VAT are one gross amount, because DATEV extracts the VAT. */
function pairsOf(
  { postings, vatRatePercent, vatCents, tax }: Transaction,
  settings: DatevSettings,
  ibans: readonly string[],
): readonly Pair[] {
  const numberOf = (account: JournalAccount): string =>
    account.kind === "customer"
      ? datevCustomerAccount(account.accountId, settings)
      : generalAccount(account, { tax, chart: charts[settings.chart], ibans }).padEnd(
          settings.accountLength,
          "0",
        );
  const [first] = postings;
  if (first === undefined) return [];
  const own = numberOf(first.account);
  const contras = new Map<string, bigint>();
  let revenue: string | undefined;
  for (const { account, amountCents } of postings.slice(1)) {
    const contra = numberOf(account);
    if (account.kind === "revenue") revenue = contra;
    contras.set(contra, (contras.get(contra) ?? 0n) - amountCents);
  }
  return [...contras].flatMap(([contra, amountCents]) =>
    contra === revenue
      ? withVat(amountCents, vatCents, vatRatePercent).map((part) => ({ own, contra, ...part }))
      : [{ own, contra, amountCents, vatCents: 0n }],
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
  account: Exclude<JournalAccount, { kind: "customer" }>,
  {
    tax,
    chart,
    ibans,
  }: { readonly tax: DocumentTax | undefined; readonly chart: Chart; readonly ibans: readonly string[] },
): string {
  switch (account.kind) {
    case "bank":
      return bankAccount(account.iban, chart, ibans);
    case "provider":
      return chart.provider;
    case "fees":
      return chart.fees;
    case "suspense":
      return chart.suspense;
    case "ordered":
      return chart.ordered;
    case "adjustments":
      return chart.adjustments;
    case "unexplained":
      return chart.unexplained;
    case "revenue":
    case "vat":
      return revenueAccount(tax, chart);
  }
}

function bankAccount(iban: string | undefined, { banks }: Chart, ibans: readonly string[]): string {
  const number = banks[iban === undefined ? 0 : ibans.indexOf(iban)];
  if (number !== undefined) return number;
  throw new DatevError(
    `The bank account ${iban ?? ""} is one too many: SKR03 and SKR04 have ${String(banks.length)} of them. Write this journal as csv.`,
  );
}

function revenueAccount(tax: DocumentTax | undefined, chart: Chart): string {
  switch (tax?.reason) {
    case "reverse-charge":
      return chart.reverseCharge;
    case "outside-eu":
      return chart.outsideUnion;
    case "small-business":
      return chart.smallBusiness;
    case "exempted":
      return chart.revenue0;
    case "oss":
      return chart.oss;
    case "flat":
    case "domestic":
    case "seller-rate":
    case undefined: {
      const rate = tax?.ratePercent ?? 0;
      if (rate === 19) return chart.revenue19;
      if (rate === 0) return chart.revenue0;
      throw new DatevError(
        `SKR03 and SKR04 are charts of German sellers, without a revenue account for a VAT rate of ${String(rate)} %: write this journal as csv.`,
      );
    }
  }
}

function line(transaction: Transaction, { own, contra, amountCents, vatCents }: Pair): string {
  const { day, description, cause, vatRatePercent } = transaction;
  const cells = new Map<string, string>([
    ["Umsatz (ohne Soll/Haben-Kz)", figure(amountCents < 0n ? -amountCents : amountCents)],
    ["Soll/Haben-Kennzeichen", amountCents < 0n ? '"H"' : '"S"'],
    ["WKZ Umsatz", '"EUR"'],
    ["Konto", own],
    ["Gegenkonto (ohne BU-Schlüssel)", contra],
    ["Belegdatum", `${day.slice(8, 10)}${day.slice(5, 7)}`],
    ["Belegfeld 1", quoted(voucherOf(transaction), 36)],
    ["Buchungstext", quoted(description, 60)],
    ["Beleginfo - Art 1", '"Cause"'],
    ["Beleginfo - Inhalt 1", quoted(cause, 210)],
    ["Zusatzinformation - Art 1", '"Fact"'],
    ["Zusatzinformation- Inhalt 1", quoted(transaction.eventId, 210)],
  ]);
  for (const [column, text] of taxCells(transaction)) cells.set(column, text);
  if (vatCents !== 0n) {
    cells.set("Zusatzinformation - Art 2", quoted(`USt ${String(vatRatePercent)} %`, 20));
    cells.set("Zusatzinformation- Inhalt 2", `"${figure(vatCents)}"`);
  }
  return datevLine(datevColumns, cells);
}

/**
 * Returns the tax cells of a line: the buyer's state, with its VAT id or the state's rate, and the first day of the
 * supply. VAT is due in the period of the document, because customers pay in advance (§13 (1) no. 1a UStG).
 */
function* taxCells({ tax }: Transaction): Generator<readonly [string, string]> {
  if (tax === undefined) return;
  const { reason, country, ratePercent, buyerVatId, supply, businessDate } = tax;
  if (reason === "oss") {
    yield ["EU-Land u. UStID (Bestimmung)", quoted(country === "GR" ? "EL" : country, 2)];
    yield ["EU-Steuersatz (Bestimmung)", ratePercent.toFixed(2).replace(".", ",")];
  }
  if (reason === "reverse-charge" && buyerVatId !== "")
    yield ["EU-Land u. UStID (Bestimmung)", quoted(buyerVatId.replace(/^GR/u, "EL"), 15)];
  if (supply === null) return;
  yield ["Leistungsdatum", dayFirst(supply.from)];
  yield ["Datum Zuord. Steuerperiode", dayFirst(businessDate)];
}

function dayFirst(day: string): string {
  return `${day.slice(8, 10)}${day.slice(5, 7)}${day.slice(0, 4)}`;
}

/** Returns the document's number, or the movement's cause where it has no document, in DATEV's characters. */
function voucherOf({ documentNumber, cause, eventId }: Transaction): string {
  const voucher = [documentNumber, cause, eventId]
    .map((text) => text.replaceAll(/[^A-Za-z0-9$&%*+\-/]/gu, "-").replace(/^[+-]+/u, ""))
    .find((text) => text !== "");
  return voucher ?? "0";
}

function figure(cents: bigint): string {
  const magnitude = String(cents < 0n ? -cents : cents).padStart(3, "0");
  if (magnitude.length > 12) throw new DatevError(`${magnitude} cents are more than a line can hold.`);
  return `${cents < 0n ? "-" : ""}${magnitude.slice(0, -2)},${magnitude.slice(-2)}`;
}
