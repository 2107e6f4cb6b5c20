import type { Cents } from "../money/money.ts";
import type { InvoiceLine } from "../pricing/totals.ts";
import type { ChargeSubject } from "./account.events.ts";

/** Opens an account. */
export interface OpenAccount {
  readonly type: "OpenAccount";
  readonly data: {
    readonly accountId: number;
    readonly name: string;
    readonly vatExempt: boolean;
    readonly at: string;
  };
}

/**
 * Erases what is known of the person; once that is done, it changes nothing. With very many API keys it has to be sent until
 * the account is erased.
 */
export interface ErasePersonalData {
  readonly type: "ErasePersonalData";
  readonly data: { readonly because: "asked" | "key-lost"; readonly at: string };
}

/** Sets or lifts the VAT exemption. */
export interface SetVatExemption {
  readonly type: "SetVatExemption";
  readonly data: { readonly vatExempt: boolean; readonly at: string };
}

/** Credits a payment; the same reference twice credits once. */
export interface CreditBalance {
  readonly type: "CreditBalance";
  readonly data: {
    readonly reference: string;
    readonly amountCents: Cents;
    /** Id for the receipt, used if the payment is new. */
    readonly invoiceId: number;
    readonly at: string;
  };
}

/** Takes a charge from the balance and issues its invoice. */
export interface ChargeBalance {
  readonly type: "ChargeBalance";
  readonly data: ChargeSubject & {
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
    readonly at: string;
  };
}

/** Returns a registration's charge in full and issues the correction. */
export interface RefundRegistration {
  readonly type: "RefundRegistration";
  readonly data: {
    readonly chargeId: string;
    /** Id for the correction, used if the refund is new. */
    readonly correctionId: number;
    readonly reason: string;
    readonly at: string;
  };
}

/** Returns any other charge in full and issues the correction. */
export interface RefundCharge {
  readonly type: "RefundCharge";
  readonly data: RefundRegistration["data"];
}

/** Issues an API key. */
export interface IssueApiKey {
  readonly type: "IssueApiKey";
  readonly data: {
    readonly keyId: number;
    readonly keyHash: string;
    readonly prefix: string;
    readonly at: string;
  };
}

/** Revokes an API key. */
export interface RevokeApiKey {
  readonly type: "RevokeApiKey";
  readonly data: { readonly keyId: number; readonly at: string };
}

/** Everything that can be asked of an account. */
export type AccountCommand =
  | OpenAccount
  | ErasePersonalData
  | SetVatExemption
  | CreditBalance
  | ChargeBalance
  | RefundRegistration
  | RefundCharge
  | IssueApiKey
  | RevokeApiKey;
