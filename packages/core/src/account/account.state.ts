import { Map as PersistentMap } from "immutable";

import type { Cents } from "../money/money.ts";
import { Charges } from "./charges.ts";
import type { DocumentSeries } from "./document-number.ts";
import { emptyProfile, type AccountProfile } from "./profile.ts";

/** A payment that was credited. */
export interface Credit {
  readonly amountCents: Cents;
  readonly invoiceId: number;
  /** Number of its receipt. */
  readonly number: string;
}

/** An API key of the account. */
export interface ApiKey {
  readonly keyHash: string;
  /** First characters, to recognise it. */
  readonly prefix: string;
  readonly issuedAt: string;
  /** What its owner calls it; may be empty. */
  readonly label: string;
  /** What it is allowed; null for everything. */
  readonly scopes: readonly string[] | null;
  /** The instant from which it is refused; null for never. */
  readonly expiresAt: string | null;
  /** Addresses and networks (CIDR) that it may be used from; empty for all. */
  readonly addresses: readonly string[];
  /** The request that it was issued for; null where that was not recorded. */
  readonly operationId: string | null;
  readonly revokedAt: string | null;
}

/** An account that can be used. Its maps share structure between states, so that folding a long stream is linear. */
export interface OpenAccountState {
  readonly status: "open";
  readonly accountId: number;
  readonly name: string;
  readonly profile: AccountProfile;
  readonly vatExempt: boolean;
  readonly openedAt: string;
  /** When the personal data was erased; undefined while it was not. */
  readonly erasedAt: string | undefined;
  /** Below zero only by what staff corrected, where they allowed that. */
  readonly balanceCents: Cents;
  readonly charges: Charges;
  readonly credits: PersistentMap<string, Credit>;
  /** What staff have corrected in cents (EUR), below zero what went out, by `adjustmentKey`. */
  readonly adjustments: PersistentMap<string, Cents>;
  readonly apiKeys: PersistentMap<number, ApiKey>;
  /** 0, or how often an older copy of the store was accepted when the account's documents began to count anew. */
  readonly documentSeries: number;
  /** How many documents of each kind were issued in this series: the next number is one more. */
  readonly documentCounts: Readonly<Record<DocumentSeries, number>>;
}

/** An account: not there yet, or open. */
export type AccountState = { readonly status: "absent" } | OpenAccountState;

/** What a payment or a correction takes in memory, about, in bytes. */
const bytesOfMovement = 300;

/** What an account's state takes in memory, about, in bytes, beyond what every account has: it grows with each movement. */
export function bytesOfAccount(state: AccountState): number {
  if (state.status === "absent") return 0;
  return state.charges.bytes + (state.credits.size + state.adjustments.size) * bytesOfMovement;
}

/** Where a series of documents begins. */
export const noDocuments: OpenAccountState["documentCounts"] = { invoice: 0, receipt: 0, correction: 0 };

/** The state right after an account was opened. */
export function openedAccount(
  data: Pick<OpenAccountState, "accountId" | "name" | "vatExempt" | "openedAt">,
): OpenAccountState {
  return {
    status: "open",
    ...data,
    profile: emptyProfile,
    erasedAt: undefined,
    balanceCents: 0n,
    charges: Charges.none,
    credits: PersistentMap(),
    adjustments: PersistentMap(),
    apiKeys: PersistentMap(),
    documentSeries: 0,
    documentCounts: noDocuments,
  };
}
