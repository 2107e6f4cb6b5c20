/** Business documents as they are rendered. Every figure in them was frozen by an event; nothing here computes one. */

/** What a document is: the invoice of a charge, the receipt of a top-up, or the correction of an invoice. */
export type DocumentKind = "invoice" | "receipt" | "correction";

/** One line as it was frozen: both amounts are net or both gross, as the document's prices are. */
export interface DocumentLine {
  readonly description: string;
  readonly quantity: number;
  /** Price of one in cents (EUR). */
  readonly unitCents: bigint;
  /** Quantity × price in cents (EUR), as it was frozen. */
  readonly amountCents: bigint;
}

/** The invoice that a correction returns. */
export interface CorrectedDocument {
  readonly number: string;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  /** Why it is corrected. */
  readonly reason: string;
}

/** A document as its event froze it. */
export interface FrozenDocument {
  readonly kind: DocumentKind;
  readonly number: string;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  /** Name of the cause: the charge, or the payment's reference on a receipt. */
  readonly cause: string;
  /** True: the lines are gross and sum to `grossCents`. False: they are net and sum to `netCents`. */
  readonly pricesIncludeVat: boolean;
  /** None on a correction, which returns the whole document that it names. */
  readonly lines: readonly DocumentLine[];
  /** In cents (EUR); negative on a correction, as the three below. */
  readonly netCents: bigint;
  /** 0 where the account is exempt. */
  readonly vatRatePercent: number;
  readonly vatCents: bigint;
  readonly grossCents: bigint;
  /** On a correction alone. */
  readonly corrects?: CorrectedDocument;
}

/** Who sells: the operator of this installation. */
export interface Seller {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** With its country's prefix, for example `DE123456789`. */
  readonly vatId: string;
  readonly email?: string;
  /** Why accounts without VAT have none; §14 (4) no. 8 UStG asks for a reason. */
  readonly exemptionReason: string;
  /** True while nobody has said who sells: every document then says so. */
  readonly isPlaceholder: boolean;
}

/** Who buys. An account has a name and a number; the hosting API knows no address. */
export interface Buyer {
  readonly accountId: number;
  /** As the account has it now; `[erased]` after an erasure, `[not available]` while the key that opens it is missing. */
  readonly name: string;
}

/** What a personal text reads after it was erased, and while its key is missing. */
const namelessTexts: ReadonlySet<string> = new Set(["[erased]", "[not available]"]);

/** How documents name the buyer: by name while there is one, else by the customer's number, which stays. */
export function nameOf({ accountId, name }: Buyer): string {
  return namelessTexts.has(name) || name.trim() === "" ? `Customer ${String(accountId)}` : name;
}

/** Stands for the seller until the settings name one. */
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

/** The sentence on documents whose seller nobody has configured. */
export const placeholderNotice =
  "The seller is a placeholder: this installation has not been told who sells. This is no valid invoice.";
