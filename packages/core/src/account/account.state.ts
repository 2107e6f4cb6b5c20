import { Map as PersistentMap } from "immutable";

import type { Cents } from "../money/money.ts";
import type { Totals } from "../pricing/totals.ts";
import type { ChargeSubject } from "./account.events.ts";
import type { DocumentSeries } from "./document-number.ts";
import { emptyProfile, type AccountProfile } from "./profile.ts";
import { isTeamCharge } from "./team-charge.ts";

/** A charge that stands or was refunded, with the figures of its invoice. */
export interface Charge extends Totals, ChargeSubject {
  readonly chargeId: string;
  readonly invoiceId: number;
  readonly invoiceNumber: string;
  readonly action: "purchase" | "renewal";
  readonly pricesIncludeVat: boolean;
  /** The correction by which its order returned it, once there is one. */
  readonly refundedBy: number | undefined;
  /** What staff have returned of it, oldest first. */
  readonly refunds: readonly ChargeRefund[];
}

/** What staff returned of a charge. */
export interface ChargeRefund {
  readonly correctionId: number;
  readonly grossCents: Cents;
  readonly reason: string;
}

/**
 * True for the charge of a registration: a domain is bought by registering it, and in no other way; what a team sells for one is
 * none. Its refund is a fact of another name than those of all other charges.
 */
export function isRegistrationCharge({ chargeId, action, domainId }: Charge): boolean {
  return action === "purchase" && domainId !== null && !isTeamCharge(chargeId);
}

/** A payment that was credited. */
export interface Credit {
  readonly amountCents: Cents;
  readonly invoiceId: number;
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
  readonly charges: PersistentMap<string, Charge>;
  readonly credits: PersistentMap<string, Credit>;
  /** What staff have corrected in cents (EUR), below zero what went out, by `adjustmentKey`. */
  readonly adjustments: PersistentMap<string, Cents>;
  readonly apiKeys: PersistentMap<number, ApiKey>;
  /** How many documents of each series were issued: the next number is one more. */
  readonly documentCounts: Readonly<Record<DocumentSeries, number>>;
}

/** An account: not there yet, or open. */
export type AccountState = { readonly status: "absent" } | OpenAccountState;

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
    charges: PersistentMap(),
    credits: PersistentMap(),
    adjustments: PersistentMap(),
    apiKeys: PersistentMap(),
    documentCounts: { invoice: 0, receipt: 0, correction: 0 },
  };
}
