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

/** The corrected invoice, or the cancelled receipt. */
export interface CorrectedDocument {
  readonly number: string;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  readonly reason: string;
}

export interface TakenBack {
  readonly at: string;
  /** Number of the cancellation; absent if an older version reversed the payment. */
  readonly cancelledBy?: string;
}

/** A document with the values of its event. */
export interface FrozenDocument {
  readonly kind: DocumentKind;
  readonly number: string;
  readonly issuedAt: string;
  /** Id of the charge, or the payment's reference on a receipt. */
  readonly cause: string;
  /** True: lines are gross and sum to `grossCents`. False: lines are net and sum to `netCents`. */
  readonly pricesIncludeVat: boolean;
  /** Empty on a correction, which refers to the invoice. */
  readonly lines: readonly DocumentLine[];
  /** Net amount in cents (EUR); negative on a correction, like the other amounts. */
  readonly netCents: bigint;
  /** 0 for an exempt account. */
  readonly vatRatePercent: number;
  readonly vatCents: bigint;
  readonly grossCents: bigint;
  /** The corrected document; set on a correction and a cancellation. */
  readonly corrects?: CorrectedDocument;
  /** The reversal; set on the receipt of a reversed payment. */
  readonly takenBack?: TakenBack;
}

/** The seller: the operator of this installation. */
export interface Seller {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** VAT id with its country's prefix, for example `DE123456788`. */
  readonly vatId: string;
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

/** Returns the buyer's address and VAT id; unreadable texts become empty. */
export function addressOf({ profile }: Buyer): Omit<BuyerProfile, "organisation"> {
  return {
    street: readable(profile?.street),
    postalCode: readable(profile?.postalCode),
    city: readable(profile?.city),
    country: readable(profile?.country),
    vatId: readable(profile?.vatId),
  };
}

function readable(text = ""): string {
  return namelessTexts.has(text) ? "" : text.trim();
}

/** Stands in for the seller until the operator configures one. */
export const placeholderSeller: Seller = {
  name: "Example Hosting (placeholder)",
  street: "Example Street 1",
  postalCode: "00000",
  city: "Example City",
  country: "DE",
  vatId: "DE000000000",
  exemptionReason: "Exempt from VAT.",
  isPlaceholder: true,
};

export const placeholderNotice =
  "The seller is a placeholder: this installation has not been told who sells. This is no valid invoice.";
