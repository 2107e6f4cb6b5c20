import type { Command } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { InvoiceLine } from "../pricing/totals.ts";
import type { ChargeSubject, DebtReminded, VatIdOutcome } from "./account.events.ts";
import type { PaidOut } from "./account.state.ts";
import type { ApiKeyScope } from "./api-key-scopes.ts";
import type { IssuingTerms, Sold, SupplyPeriod } from "./document-terms.ts";
import type { ProfileFields } from "./profile.ts";

export type OpenAccount = Command<
  "OpenAccount",
  {
    readonly accountId: number;
    readonly name: string;
    readonly vatExempt: boolean;
  }
>;

/** Erases personal data; repeating adds nothing. With very many API keys, repeat the command until the data is erased. */
export type ErasePersonalData = Command<
  "ErasePersonalData",
  {
    readonly because: "asked" | "key-lost";
    /** True if an account with a balance or a debt is refused. Default: false. */
    readonly mustBeSettled?: boolean;
  }
>;

/** Changes the profile; fields that `changes` omits stay unchanged. */
export type ChangeProfile = Command<"ChangeProfile", { readonly changes: Partial<ProfileFields> }>;

/** Records what the register of VAT ids answered about the profile's VAT id. */
export type RecordVatIdCheck = Command<
  "RecordVatIdCheck",
  {
    readonly vatId: string;
    readonly outcome: VatIdOutcome;
    /** Number under which the register recorded the question; empty if it gave none. */
    readonly consultationNumber: string;
  }
>;

/** Records a reminder of a debt, unless the debt has ended or was reminded of as late before. */
export type RecordDebtReminder = Command<
  "RecordDebtReminder",
  Pick<DebtReminded["data"], "debtSince" | "afterDays">
>;

export type SetVatExemption = Command<"SetVatExemption", { readonly vatExempt: boolean }>;

/** Starts a new series of document numbers; a series that is not later than the present series changes nothing. */
export type BeginDocumentSeries = Command<"BeginDocumentSeries", { readonly series: number }>;

/**
 * Credits a payment; a reference is credited once. Like every command that issues a document, it names its `terms`: without them
 * the document names the placeholder as seller, and the flat rule taxes it.
 */
export type CreditBalance = Command<
  "CreditBalance",
  {
    readonly reference: string;
    readonly amountCents: Cents;
    /** Id of the receipt, used only for a new payment. */
    readonly invoiceId: number;
    readonly terms?: IssuingTerms;
  }
>;

/** Corrects the balance; a reference corrects it once. */
export type AdjustBalance = Command<
  "AdjustBalance",
  {
    readonly kind: "credit" | "debit";
    readonly reference: string;
    /** Positive for both kinds. */
    readonly amountCents: Cents;
    readonly reason: string;
    /** True if the balance may become negative. */
    readonly debtAllowed: boolean;
  }
>;

/** Reverses the whole payment with this reference, once, and cancels its receipt. */
export type ReverseTopUp = Command<
  "ReverseTopUp",
  {
    readonly reference: string;
    /** Id of the cancellation, used only for a new reversal. */
    readonly correctionId: number;
    readonly reason: string;
    readonly debtAllowed: boolean;
    /**
     * Amount to take back, in cents (EUR): the command is refused if refunds have left less. Default: what is left.
     */
    readonly onlyCents?: Cents;
    readonly terms?: IssuingTerms;
  }
>;

/**
 * Debits money that goes back to the customer, to the source of a payment or to a bank account; a reference is debited once. See
 * `BalancePaidOut` for the fields.
 */
export type PayOut = Command<"PayOut", Omit<PaidOut, "isReturned">>;

/** Credits a payout or refund that did not arrive, once. A payout of an erased account is refused, because nobody can claim its balance. */
export type GivePaidOutBack = Command<
  "GivePaidOutBack",
  { readonly reference: string; readonly reason: string }
>;

/** Charges the balance and issues the invoice. */
export type ChargeBalance = Command<
  "ChargeBalance",
  ChargeSubject & {
    /** Id of the charge; repeats have the same id. */
    readonly chargeId: string;
    readonly action: "purchase" | "renewal";
    readonly lines: readonly InvoiceLine[];
    /**
     * False: net prices, VAT is added (domains). True: gross prices that contain VAT (servers; contract, "Money rules").
     */
    readonly pricesIncludeVat: boolean;
    /** Id of the invoice, used only for a new charge. */
    readonly invoiceId: number;
    /** Period that it pays for; null where nobody knows it. */
    readonly supply?: SupplyPeriod | null;
    /** The domain, or the server and its plan, by name. */
    readonly sold?: Sold | null;
    readonly terms?: IssuingTerms;
  }
>;

/** Refunds a registration's whole charge and issues the correction. */
export type RefundRegistration = Command<
  "RefundRegistration",
  {
    readonly chargeId: string;
    readonly correctionId: number;
    readonly reason: string;
    readonly terms?: IssuingTerms;
  }
>;

/** Refunds any other whole charge and issues the correction. */
export interface RefundCharge {
  readonly type: "RefundCharge";
  readonly data: RefundRegistration["data"];
}

/** Staff refund a charge fully or partly, with a correction. An amount is refunded once for each reason. */
export type GrantRefund = Command<
  "GrantRefund",
  {
    readonly chargeId: string;
    /** Gross, above zero, at most the unrefunded part of the charge. */
    readonly amountCents: Cents;
    readonly correctionId: number;
    readonly reason: string;
    readonly terms?: IssuingTerms;
  }
>;

export type IssueApiKey = Command<
  "IssueApiKey",
  {
    readonly keyId: number;
    readonly keyHash: string;
    readonly prefix: string;
    readonly label: string;
    /** Null requests all scopes that the issuer may grant. */
    readonly scopes: readonly ApiKeyScope[] | null;
    /** The key is refused from this instant on; null requests the latest expiry that the issuer may grant. */
    readonly expiresAt: string | null;
    /** Allowed addresses and networks (CIDR); an empty list requests all that the issuer may grant. */
    readonly addresses: readonly string[];
    /** Id of the request; a repeat has the same id. */
    readonly operationId: string;
    /** Id of the customer's key that issues this key; null for staff. */
    readonly issuedBy: number | null;
  }
>;

export type RevokeApiKey = Command<
  "RevokeApiKey",
  {
    readonly keyId: number;
    /** Id of the customer's key that revokes this key; absent for staff. */
    readonly revokedBy?: number;
  }
>;

export type AccountCommand =
  | OpenAccount
  | ErasePersonalData
  | ChangeProfile
  | RecordVatIdCheck
  | RecordDebtReminder
  | SetVatExemption
  | BeginDocumentSeries
  | CreditBalance
  | AdjustBalance
  | ReverseTopUp
  | PayOut
  | GivePaidOutBack
  | ChargeBalance
  | RefundRegistration
  | RefundCharge
  | GrantRefund
  | IssueApiKey
  | RevokeApiKey;
