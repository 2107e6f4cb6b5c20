/** Business documents as they are rendered. Every figure in them was frozen by an event; nothing here computes one. */

/**
 * What a document is: the invoice of a charge, the receipt of a top-up, the correction of an invoice, or the cancellation of a
 * receipt whose payment was taken back.
 */
export type DocumentKind = "invoice" | "receipt" | "correction" | "cancellation";

/** One line as it was frozen: both amounts are net or both gross, as the document's prices are. */
export interface DocumentLine {
  readonly description: string;
  readonly quantity: number;
  /** Price of one in cents (EUR). */
  readonly unitCents: bigint;
  /** Quantity × price in cents (EUR), as it was frozen. */
  readonly amountCents: bigint;
}

/** The invoice that a correction returns, or the receipt that a cancellation is about. */
export interface CorrectedDocument {
  readonly number: string;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  /** Why it is corrected. */
  readonly reason: string;
}

/** A payment that was taken back. */
export interface TakenBack {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Number of the cancellation; absent where the payment was taken back before there were cancellations. */
  readonly cancelledBy?: string;
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
  /** On a correction and on a cancellation. */
  readonly corrects?: CorrectedDocument;
  /** On the receipt of a payment that was taken back. */
  readonly takenBack?: TakenBack;
}

/** Who sells: the operator of this installation. */
export interface Seller {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** With its country's prefix, for example `DE123456788`. */
  readonly vatId: string;
  readonly email?: string;
  /** Why accounts without VAT have none; §14 (4) no. 8 UStG asks for a reason. */
  readonly exemptionReason: string;
  /** True while nobody has said who sells: every document then says so. */
  readonly isPlaceholder: boolean;
}

/** Who buys. Personal texts read `[erased]` after an erasure, `[not available]` while the key that opens them is missing. */
export interface Buyer {
  readonly accountId: number;
  /** The person's, as it was when the document was issued, or the account's as it is now. */
  readonly name: string;
  /** What the customer had said when the document was issued; absent where nothing was. Empty texts were not known. */
  readonly profile?: BuyerProfile;
}

/** Beside the name, what an invoice needs of a buyer (§14 (4) no. 1 UStG). */
export interface BuyerProfile {
  readonly organisation: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  /** With its country's prefix. */
  readonly vatId: string;
}

/** What a personal text reads after it was erased, and while its key is missing. */
const namelessTexts: ReadonlySet<string> = new Set(["[erased]", "[not available]"]);

/** How documents name the buyer: as an organisation, by name, or by the customer's number, which stays. */
export function nameOf({ accountId, name, profile }: Buyer): string {
  return readable(profile?.organisation) || readable(name) || `Customer ${String(accountId)}`;
}

/** The person, where the buyer is named as an organisation. */
export function contactOf({ name, profile }: Buyer): string {
  return readable(profile?.organisation) === "" ? "" : readable(name);
}

/** The buyer's address and VAT id as far as they can be read; what cannot is empty. */
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
