import type { Command } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { InvoiceLine } from "../pricing/totals.ts";
import type { ChargeSubject } from "./account.events.ts";
import type { ApiKeyScope } from "./api-key-scopes.ts";
import type { ProfileFields } from "./profile.ts";

/** Opens an account. */
export type OpenAccount = Command<
  "OpenAccount",
  {
    readonly accountId: number;
    readonly name: string;
    readonly vatExempt: boolean;
  }
>;

/**
 * Erases what is known of the person; once that is done, it changes nothing. With very many API keys it has to be sent until
 * the account is erased.
 */
export type ErasePersonalData = Command<"ErasePersonalData", { readonly because: "asked" | "key-lost" }>;

/** Says who the customer is: what is not named stays. */
export type ChangeProfile = Command<"ChangeProfile", { readonly changes: Partial<ProfileFields> }>;

/** Sets or lifts the VAT exemption. */
export type SetVatExemption = Command<"SetVatExemption", { readonly vatExempt: boolean }>;

/** Counts the account's documents anew in a series of this number; a series that is not later changes nothing. */
export type BeginDocumentSeries = Command<"BeginDocumentSeries", { readonly series: number }>;

/** Credits a payment; the same reference twice credits once. */
export type CreditBalance = Command<
  "CreditBalance",
  {
    readonly reference: string;
    readonly amountCents: Cents;
    /** Id for the receipt, used if the payment is new. */
    readonly invoiceId: number;
  }
>;

/** Corrects the balance; the same reference twice corrects once. */
export type AdjustBalance = Command<
  "AdjustBalance",
  {
    readonly kind: "credit" | "debit";
    readonly reference: string;
    /** Above zero, whatever the kind. */
    readonly amountCents: Cents;
    readonly reason: string;
    /** The balance may fall below zero by it. */
    readonly debtAllowed: boolean;
  }
>;

/** Takes a whole payment back that was credited under this reference, once, and cancels its receipt. */
export type ReverseTopUp = Command<
  "ReverseTopUp",
  {
    readonly reference: string;
    /** Id for the cancellation, used if the payment was not taken back before. */
    readonly correctionId: number;
    readonly reason: string;
    /** The balance may fall below zero by it. */
    readonly debtAllowed: boolean;
  }
>;

/** Takes a charge from the balance and issues its invoice. */
export type ChargeBalance = Command<
  "ChargeBalance",
  ChargeSubject & {
    /** The same for every repeat of one charge. */
    readonly chargeId: string;
    readonly action: "purchase" | "renewal";
    readonly lines: readonly InvoiceLine[];
    /**
     * False: the prices are net, and VAT is added by the account's own rule (domains). True: they are gross, and contain
     * the VAT that the invoice shows (servers; contract, "Money rules").
     */
    readonly pricesIncludeVat: boolean;
    /** Id for the invoice, used if the charge is new. */
    readonly invoiceId: number;
  }
>;

/** Returns a registration's charge in full and issues the correction. */
export type RefundRegistration = Command<
  "RefundRegistration",
  {
    readonly chargeId: string;
    /** Id for the correction, used if the refund is new. */
    readonly correctionId: number;
    readonly reason: string;
  }
>;

/** Returns any other charge in full and issues the correction. */
export interface RefundCharge {
  readonly type: "RefundCharge";
  readonly data: RefundRegistration["data"];
}

/** Returns a charge in part or whole because staff want it, with a correction; the same amount for the same reason once. */
export type GrantRefund = Command<
  "GrantRefund",
  {
    readonly chargeId: string;
    /** Gross; above zero, at most what is left of the charge. */
    readonly amountCents: Cents;
    /** Id for the correction, used if the refund is new. */
    readonly correctionId: number;
    readonly reason: string;
  }
>;

/** Issues an API key. */
export type IssueApiKey = Command<
  "IssueApiKey",
  {
    readonly keyId: number;
    readonly keyHash: string;
    readonly prefix: string;
    /** What its owner calls it; may be empty. */
    readonly label: string;
    /** Null asks for everything that the issuer may grant. */
    readonly scopes: readonly ApiKeyScope[] | null;
    /** The instant from which it is refused; null asks for the longest that the issuer may grant. */
    readonly expiresAt: string | null;
    /** Addresses and networks (CIDR) that it may be used from; empty asks for all that the issuer may grant. */
    readonly addresses: readonly string[];
    /** The request that it is issued for, the same when that is run again. */
    readonly operationId: string;
    /** The customer's own key that it is made with; null where staff issue it. */
    readonly issuedBy: number | null;
  }
>;

/** Revokes an API key. */
export type RevokeApiKey = Command<
  "RevokeApiKey",
  {
    readonly keyId: number;
    /** The customer's key that it is revoked with; absent for staff. */
    readonly revokedBy?: number;
  }
>;

/** Everything that can be asked of an account. */
export type AccountCommand =
  | OpenAccount
  | ErasePersonalData
  | ChangeProfile
  | SetVatExemption
  | BeginDocumentSeries
  | CreditBalance
  | AdjustBalance
  | ReverseTopUp
  | ChargeBalance
  | RefundRegistration
  | RefundCharge
  | GrantRefund
  | IssueApiKey
  | RevokeApiKey;
