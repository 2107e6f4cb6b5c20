import type { DocumentLanguage, TaxTreatment } from "@hostledger/core";

/** Business documents for rendering. All amounts come from events; this package computes none. */

/** The invoice of a charge, the receipt of a top-up, or the correction or cancellation of one of them. */
export type DocumentKind = "invoice" | "receipt" | "correction" | "cancellation";

/** A line of an issued document. Its amounts are net or gross like the document's prices. */
export interface DocumentLine {
  readonly description: string;
  readonly quantity: number;
  /** Price of a unit in cents (EUR). */
  readonly unitCents: bigint;
  /** Quantity × price in cents (EUR), from the event. */
  readonly amountCents: bigint;
}

/** First and last day of the supply, YYYY-MM-DD. */
export interface SupplyPeriod {
  readonly from: string;
  readonly to: string;
}

/** The corrected invoice, or the cancelled receipt. */
export interface CorrectedDocument {
  readonly number: string;
  /** The document's business date, YYYY-MM-DD. */
  readonly businessDate: string;
  readonly reason: string;
}

export interface TakenBack {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Number of the cancellation; absent if an older version reversed the payment. */
  readonly cancelledBy?: string;
}

/** A document with the values of its event. */
export interface FrozenDocument {
  readonly kind: DocumentKind;
  readonly number: string;
  /** ISO 8601 UTC. Dates the file; people read the business date. */
  readonly issuedAt: string;
  /** Date of the document in the seller's time zone, YYYY-MM-DD. */
  readonly businessDate: string;
  /** Absent if nobody named a period: the supply is then of the business date, or of the corrected invoice's. */
  readonly supply?: SupplyPeriod;
  readonly language: DocumentLanguage;
  /** Version of the PDF's layout. */
  readonly templateVersion: number;
  /** Id of the charge, or the payment's reference on a receipt. */
  readonly cause: string;
  /** True: lines are gross and sum to `grossCents`. False: lines are net and sum to `netCents`. */
  readonly pricesIncludeVat: boolean;
  /** Empty on a correction, which refers to the invoice. */
  readonly lines: readonly DocumentLine[];
  /** Net amount in cents (EUR); negative on a correction, like the other amounts. */
  readonly netCents: bigint;
  /** Null on a receipt and its cancellation, because only the later invoice shows the purchase. */
  readonly tax: TaxTreatment | null;
  readonly vatCents: bigint;
  readonly grossCents: bigint;
  /** The corrected document; set on a correction and a cancellation. */
  readonly corrects?: CorrectedDocument;
  /** The reversal; set on the receipt of a reversed payment. */
  readonly takenBack?: TakenBack;
}

/** The seller: the operator of this installation. A document has a VAT id or a tax number of it (§14 (4) no. 2 UStG). */
export interface Seller {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** VAT id with its country's prefix, for example `DE123456788`; empty for a seller with a tax number only. */
  readonly vatId: string;
  /** National tax number (Steuernummer); empty if unknown. */
  readonly taxNumber: string;
  /** Person or department whom buyers ask, and its telephone; empty if unknown. */
  readonly contact: string;
  readonly phone: string;
  readonly email?: string;
  /** Reason for invoices without VAT, required by §14 (4) no. 8 UStG. */
  readonly exemptionReason: string;
  /** True until the operator configures the seller; documents contain a notice about that. */
  readonly isPlaceholder: boolean;
}

/** The buyer. Personal texts are `[erased]` after an erasure, and `[not available]` if their key is missing. */
export interface Buyer {
  readonly accountId: number;
  /** Name of the person at the time of issue, or the present name of the account. */
  readonly name: string;
  /** The profile at the time of issue; absent if there was none. Unknown texts are empty. */
  readonly profile?: BuyerProfile;
}

/** The buyer's details that an invoice needs beside the name (§14 (4) no. 1 UStG). */
export interface BuyerProfile {
  readonly organisation: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  readonly country: string;
  readonly vatId: string;
  /** Address of a public buyer in Germany (EN 16931, BT-10); empty for others. */
  readonly leitwegId: string;
}

/** Placeholders of personal texts that were erased or whose key is missing. */
const namelessTexts: ReadonlySet<string> = new Set(["[erased]", "[not available]"]);

/** Returns the organisation, the person's name, or the customer's number, which survives an erasure. */
export function nameOf({ accountId, name, profile }: Buyer): string {
  return readable(profile?.organisation) || readable(name) || `Customer ${String(accountId)}`;
}

/** Returns the person's name if the buyer is an organisation; otherwise an empty text. */
export function contactOf({ name, profile }: Buyer): string {
  return readable(profile?.organisation) === "" ? "" : readable(name);
}

/** Returns the buyer's address, VAT id and Leitweg-ID; unreadable texts become empty. */
export function addressOf({ profile }: Buyer): Omit<BuyerProfile, "organisation"> {
  return {
    street: readable(profile?.street),
    postalCode: readable(profile?.postalCode),
    city: readable(profile?.city),
    country: readable(profile?.country),
    vatId: readable(profile?.vatId),
    leitwegId: readable(profile?.leitwegId),
  };
}

function readable(text = ""): string {
  return namelessTexts.has(text) ? "" : text.trim();
}

/**
 * Returns the number by which the seller is taxed: its VAT id. A supply outside the scope of VAT must name no VAT id
 * (BR-O-02), so its document has the tax number instead, if the seller has one.
 */
export function taxIdOf(
  { vatId, taxNumber }: Seller,
  tax: TaxTreatment | null,
): { readonly kind: "vatId" | "taxNumber"; readonly text: string } {
  const isVatId = taxNumber === "" || (vatId !== "" && tax?.category !== "O");
  return isVatId ? { kind: "vatId", text: vatId } : { kind: "taxNumber", text: taxNumber };
}

/** Returns the days of supply (§14 (4) no. 6 UStG); equal days if nobody named a period. */
export function supplyOf({ supply, corrects, businessDate }: FrozenDocument): SupplyPeriod {
  const day = corrects?.businessDate ?? businessDate;
  return supply ?? { from: day, to: day };
}

export interface ShownLines {
  readonly lines: readonly DocumentLine[];
  /** True if prices and amounts contain the document's VAT. */
  readonly areGross: boolean;
}

/**
 * Returns the lines that people read. A correction has one, which returns its invoice. Prices that contain another VAT than
 * the document's, as for a buyer abroad, are no prices of this document: their lines become one with its net amount.
 */
export function shownLines(document: FrozenDocument, texts: LineTexts): ShownLines {
  const { kind, corrects, netCents, grossCents } = document;
  if (corrects !== undefined) {
    const name = texts.returnOf(kind === "cancellation" ? "payment" : "invoice", corrects.number);
    return { lines: [whole(name, -1, netCents)], areGross: false };
  }
  const lines = document.lines.map((line) => ({ ...line, description: texts.line(line.description) }));
  const isWhole = document.pricesIncludeVat && sumOf(lines) !== grossCents;
  return {
    lines: isWhole ? [merged(lines, netCents)] : lines,
    areGross: document.pricesIncludeVat && !isWhole,
  };
}

/**
 * Returns the lines with net amounts, as EN 16931 requires. Gross lines have no exact net amounts, because VAT is rounded
 * once per document; they become one line with all names and the document's net amount.
 */
export function netLines(document: FrozenDocument, texts: LineTexts): readonly DocumentLine[] {
  const { lines, areGross } = shownLines(document, texts);
  return areGross && sumOf(lines) !== document.netCents ? [merged(lines, document.netCents)] : lines;
}

interface LineTexts {
  line(description: string): string;
  returnOf(kind: "invoice" | "payment", number: string): string;
}

function merged(lines: readonly DocumentLine[], netCents: bigint): DocumentLine {
  return whole(lines.map(({ description }) => description).join("; "), 1, netCents);
}

/** @param quantity -1 for a refund, because a price is never negative (BR-27). */
function whole(description: string, quantity: 1 | -1, amountCents: bigint): DocumentLine {
  return { description, quantity, unitCents: amountCents * BigInt(quantity), amountCents };
}

function sumOf(lines: readonly DocumentLine[]): bigint {
  return lines.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}

export interface DocumentInput {
  readonly document: FrozenDocument;
  readonly seller: Seller;
  readonly buyer: Buyer;
}
