import { Map as PersistentMap } from "immutable";

import type { Cents } from "../money/money.ts";
import type { BalancePaidOut } from "./account.events.ts";
import { Charges } from "./charges.ts";
import type { DocumentSeries } from "./document-number.ts";
import { emptyProfile, type AccountProfile } from "./profile.ts";

export interface Credit {
  readonly amountCents: Cents;
  readonly invoiceId: number;
  readonly number: string;
}

/** The question to the register about a VAT id, and its last answer. */
export interface VatIdCheck {
  readonly vatId: string;
  /** Time of the last answer if it was "valid"; null after "invalid". */
  readonly validAt: string | null;
  /** Time of the last question. */
  readonly askedAt: string;
  /** Questions since the last answer. */
  readonly unanswered: number;
}

/** A balance below zero, until a payment or a refund ends it. */
export interface Debt {
  /** ISO 8601 UTC. */
  readonly since: string;
  /** Reminders of this debt. */
  readonly reminders: number;
  /** Days of debt of the last reminder; 0 before the first. */
  readonly remindedDays: number;
}

/** Money that went back to the customer, or is to (see `BalancePaidOut`). */
export interface PaidOut extends Pick<
  BalancePaidOut["data"],
  "to" | "reference" | "topUpReference" | "fromIban" | "iban" | "name" | "keptUntilYear" | "reason"
> {
  /** Cents (EUR), above zero. */
  readonly amountCents: Cents;
  /** True if it did not arrive, and was credited again. */
  readonly isReturned: boolean;
}

export interface ApiKey {
  readonly keyHash: string;
  readonly prefix: string;
  readonly issuedAt: string;
  readonly label: string;
  readonly scopes: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly addresses: readonly string[];
  readonly operationId: string | null;
  readonly revokedAt: string | null;
}

/** An open account. Its maps share structure between states, so that folding a long stream takes linear time. */
export interface OpenAccountState {
  readonly status: "open";
  readonly accountId: number;
  readonly name: string;
  readonly profile: AccountProfile;
  readonly vatExempt: boolean;
  /** Null until the register was asked. */
  readonly vatIdCheck: VatIdCheck | null;
  readonly openedAt: string;
  /** Time of the erasure; undefined if the data was not erased. */
  readonly erasedAt: string | undefined;
  /** Negative only after a correction for which staff allowed a debt. */
  readonly balanceCents: Cents;
  /** Null while the balance is not below zero. */
  readonly debt: Debt | null;
  readonly charges: Charges;
  readonly credits: PersistentMap<string, Credit>;
  /** Staff's corrections in cents (EUR), negative for debits, by `adjustmentKey`. */
  readonly adjustments: PersistentMap<string, Cents>;
  /** Money that went back to the customer, by reference. */
  readonly paidOut: PersistentMap<string, PaidOut>;
  readonly apiKeys: PersistentMap<number, ApiKey>;
  /** Business date of the last document; empty before the first. */
  readonly businessDate: string;
  /** Number of the document series; 0 until staff accept a store restored from an older backup. */
  readonly documentSeries: number;
  /** Issued documents of each kind in this series; the next number is one higher. */
  readonly documentCounts: Readonly<Record<DocumentSeries, number>>;
}

export type AccountState = { readonly status: "absent" } | OpenAccountState;

/** Approximate memory of a payment or a correction in bytes. */
const bytesOfMovement = 300;

/** Returns the approximate memory in bytes that grows with each movement. */
export function bytesOfAccount(state: AccountState): number {
  if (state.status === "absent") return 0;
  return (
    state.charges.bytes + (state.credits.size + state.adjustments.size + state.paidOut.size) * bytesOfMovement
  );
}

/** Counts at the start of a series. */
export const noDocuments: OpenAccountState["documentCounts"] = { invoice: 0, receipt: 0, correction: 0 };

export function openedAccount(
  data: Pick<OpenAccountState, "accountId" | "name" | "vatExempt" | "openedAt">,
): OpenAccountState {
  return {
    status: "open",
    ...data,
    profile: emptyProfile,
    vatIdCheck: null,
    businessDate: "",
    erasedAt: undefined,
    balanceCents: 0n,
    debt: null,
    charges: Charges.none,
    credits: PersistentMap(),
    adjustments: PersistentMap(),
    paidOut: PersistentMap(),
    apiKeys: PersistentMap(),
    documentSeries: 0,
    documentCounts: noDocuments,
  };
}
