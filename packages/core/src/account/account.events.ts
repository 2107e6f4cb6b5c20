/** An account was opened with a balance of zero. */
export interface AccountOpened {
  readonly type: "AccountOpened";
  readonly data: {
    readonly accountId: number;
    readonly name: string;
    readonly vatExempt: boolean;
    readonly openedAt: string;
  };
}

/**
 * What is known of the person behind the account is erased: its key is destroyed next, and its API keys are revoked in the
 * same append. What was paid and charged stays, and what is under way is still settled.
 */
export interface PersonalDataErased {
  readonly type: "PersonalDataErased";
  readonly data: { readonly accountId: number; readonly erasedAt: string };
}

/** VAT is added to later charges, or no longer. */
export interface VatExemptionChanged {
  readonly type: "VatExemptionChanged";
  readonly data: { readonly vatExempt: boolean; readonly changedAt: string };
}

/** A payment was received. */
export interface BalanceCredited {
  readonly type: "BalanceCredited";
  readonly data: {
    /** The payment's own reference: the same twice credits once. */
    readonly reference: string;
    readonly amountCents: string;
    readonly balanceAfterCents: string;
    readonly creditedAt: string;
  };
}

/** A charge was taken from the balance; its invoice is the next event of the same append. */
export interface BalanceCharged {
  readonly type: "BalanceCharged";
  readonly data: {
    readonly chargeId: string;
    readonly invoiceId: number;
    readonly grossCents: string;
    readonly balanceAfterCents: string;
    readonly chargedAt: string;
  };
}

/** A registration's charge was returned in full; its correction is the next event of the same append. */
export interface RegistrationRefunded {
  readonly type: "RegistrationRefunded";
  readonly data: {
    readonly chargeId: string;
    readonly correctionId: number;
    readonly grossCents: string;
    readonly balanceAfterCents: string;
    readonly reason: string;
    readonly refundedAt: string;
  };
}

/** A charge that is no registration's was returned in full; its correction is the next event of the same append. */
export interface ChargeRefunded {
  readonly type: "ChargeRefunded";
  readonly data: RegistrationRefunded["data"];
}

/** What a charge and its documents are for. */
export type ChargeSubject = Readonly<{
  /** Years or months bought; 0 where there is none. */
  duration: number;
  domainId: number | null;
  serverId: number | null;
  planId: number | null;
}>;

/** One line as a document freezes it: both amounts are net or both gross, as the document's prices are. */
export interface FrozenLine {
  readonly description: string;
  readonly quantity: number;
  /** Price of one in cents (EUR). */
  readonly unitCents: string;
  /** Quantity × price in cents (EUR). */
  readonly amountCents: string;
}

/** An invoice, or the receipt of a top-up, was issued. Nothing of it is ever computed again. */
export interface InvoiceIssued {
  readonly type: "InvoiceIssued";
  readonly data: ChargeSubject & {
    readonly invoiceId: number;
    readonly number: string;
    readonly action: "purchase" | "renewal" | "topup";
    /** The charge it belongs to, or the payment's reference on a receipt. */
    readonly cause: string;
    /** True: the lines are gross and sum to `grossCents`, which contains the VAT. False: they are net, and sum to `netCents`. */
    readonly pricesIncludeVat: boolean;
    readonly lines: readonly FrozenLine[];
    readonly netCents: string;
    readonly vatRatePercent: number;
    readonly vatCents: string;
    readonly grossCents: string;
    readonly issuedAt: string;
  };
}

/** A correction was issued: a new document that names the old one, with the old one's amounts negated. */
export interface CorrectionIssued {
  readonly type: "CorrectionIssued";
  readonly data: ChargeSubject & {
    readonly correctionId: number;
    readonly number: string;
    readonly correctsInvoiceId: number;
    readonly correctsNumber: string;
    readonly chargeId: string;
    readonly netCents: string;
    readonly vatRatePercent: number;
    readonly vatCents: string;
    readonly grossCents: string;
    readonly reason: string;
    readonly issuedAt: string;
  };
}

/** An API key was issued; only its hash is kept. */
export interface ApiKeyIssued {
  readonly type: "ApiKeyIssued";
  readonly data: {
    readonly keyId: number;
    /** SHA-256 of the whole key, in hex. */
    readonly keyHash: string;
    /** First characters of the key, to recognise it. */
    readonly prefix: string;
    readonly issuedAt: string;
  };
}

/** An API key is refused from now on. */
export interface ApiKeyRevoked {
  readonly type: "ApiKeyRevoked";
  readonly data: { readonly keyId: number; readonly keyHash: string; readonly revokedAt: string };
}

/** Everything that happens to an account. */
export type AccountEvent =
  | AccountOpened
  | PersonalDataErased
  | VatExemptionChanged
  | BalanceCredited
  | BalanceCharged
  | RegistrationRefunded
  | ChargeRefunded
  | InvoiceIssued
  | CorrectionIssued
  | ApiKeyIssued
  | ApiKeyRevoked;
