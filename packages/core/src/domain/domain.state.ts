import type { List, Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { OfflineBy } from "./domain.commands.ts";
import type { ChangeFailure, DomainChange, DomainRenewalStarted } from "./domain.events.ts";

/** The registration that has taken a name. */
export interface Reservation {
  readonly registrationId: string;
  readonly domainId: number;
  readonly accountId: number;
  readonly name: string;
  readonly years: number;
  readonly autoRenew: boolean;
  /** The customer's own nameservers that were asked for, or null for the service's. */
  readonly requestedNameservers: readonly string[] | null;
  /** The registrar that holds the name, or was asked to; null where the reservation does not tell. */
  readonly provider: string | null;
  /** The zone that stayed at the DNS server when an earlier domain of the name left for another registrar; absent where none did. */
  readonly leftZone?: ZoneRecords;
}

/** The records of a managed zone by id. The map shares structure between states: folding a long stream is linear. */
export type ZoneRecords = PersistentMap<number, RecordedDnsRecord>;

/** A change that was accepted and is being carried out. */
export interface PendingChange {
  readonly changeId: string;
  readonly change: DomainChange;
  readonly startedAt: string;
}

/** A renewal that began and has not ended. */
export type PendingRenewal = DomainRenewalStarted["data"];

/** How a change ended. */
export type SettledChange = { readonly changeId: string; readonly change: DomainChange | null } & (
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly code: ChangeFailure; readonly reason: string }
);

/**
 * Settled changes that a domain remembers, so that a request that is run again answers from its first run. A request
 * is run again soon after a crash, or when its client sends the Idempotency-Key again within a day; a hundred changes of
 * one domain in between are not expected. Should it happen all the same, no effect is doubled: changes state what shall
 * be so, and a second identical record is refused. Only the answer is then another one.
 */
export const rememberedChanges = 100;

/** The renewals that have ended. */
export interface RenewalHistory {
  /** How each ended: no id renews twice. A domain has few, since a balance too low is told before a renewal begins. */
  readonly ended: PersistentMap<string, "renewed" | "failed">;
  /** Automatic renewals of the present expiry date that failed. */
  readonly automaticFailures: number;
  /** When the last of them did. */
  readonly lastAutomaticFailureAt: string | null;
  /** What the balance had to cover for it in cents (EUR); null where it failed for another reason. */
  readonly missedCents: bigint | null;
  /** Up to when staff let automatic renewals catch up; null before they do. */
  readonly lateAllowedAt: string | null;
}

/** What staff and time have done to a domain; each is lifted on its own. */
export interface DomainFlags {
  readonly suspended: boolean;
  readonly transferring: boolean;
  readonly expired: boolean;
}

/** Whether what a new domain still lacks is brought about by itself, waits for staff, or is left by staff's word. */
export type DeliveryStatus =
  | { readonly status: "open" }
  | { readonly status: "suspended"; readonly reason: string }
  | { readonly status: "abandoned" };

/** A registered name. */
export interface RegisteredDomain extends Reservation, DomainFlags {
  readonly usesServiceNameservers: boolean;
  readonly nameservers: readonly string[];
  /**
   * True once the registration's own nameservers are settled, or a change of the customer has settled them: from then
   * on the registration has no word on them any more.
   */
  readonly delegationSettled: boolean;
  /** Null while the managed zone does not exist. It stays, with its records, while the domain is on custom nameservers. */
  readonly zone: { readonly records: ZoneRecords } | null;
  /** True once a failed creation of the zone was recorded. */
  readonly zoneFailed: boolean;
  /** Why the registrar did not take the nameservers that were asked for at the registration. */
  readonly nameserversRefusal: string | null;
  readonly delivery: DeliveryStatus;
  /** Why staff suspended it; null where they said nothing, or did not. */
  readonly suspensionReason: string | null;
  /** How it is kept from resolving; null where it is not. Of a suspended one that has not come about yet it is null, too. */
  readonly offline: OfflineBy | null;
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
  readonly expiresAt: string;
  /** True once its registrar gave it up after expiry: until it is deleted it can only be restored. */
  readonly withheld: boolean;
  /** The renewal that is under way. */
  readonly renewal: PendingRenewal | null;
  readonly renewals: RenewalHistory;
  /** The one change that is under way. */
  readonly pendingChange: PendingChange | null;
  /** The newest last; at most {@link rememberedChanges}. */
  readonly settledChanges: List<SettledChange>;
}

/**
 * A name is free, reserved for one registration, held (its charge goes back, the registrar has not answered yet), on its
 * way to us from another registrar, or registered.
 */
export type DomainState =
  | { readonly status: "free"; readonly leftZone?: ZoneRecords }
  | { readonly status: "reserved"; readonly reservation: Reservation }
  | { readonly status: "held"; readonly reservation: Reservation }
  | { readonly status: "transferring"; readonly reservation: Reservation }
  | { readonly status: "registered"; readonly domain: RegisteredDomain };

/** What a record of a zone and a settled change take in memory, about, in bytes. */
const bytesOfEntry = 500;

/** What the state of a name takes in memory, about, in bytes, beyond what every name has: its zone, and changes of it. */
export function bytesOfDomain(state: DomainState): number {
  if (state.status !== "registered") return 0;
  const { zone, settledChanges } = state.domain;
  return ((zone?.records.size ?? 0) + settledChanges.size) * bytesOfEntry;
}

/** The life-cycle status of a domain (specification §2.1). */
export type DomainStatus = "active" | "suspended" | "transferring" | "expired";

/**
 * The status that is shown. An expired domain is `expired` whatever else it is: nothing else matters before it is
 * renewed; then what staff has set shows again.
 */
export function domainStatusOf({ suspended, transferring, expired }: DomainFlags): DomainStatus {
  if (expired) return "expired";
  if (suspended) return "suspended";
  return transferring ? "transferring" : "active";
}

/** Who holds the name, in whatever state it is. */
export function holderOf(state: DomainState): Reservation | undefined {
  switch (state.status) {
    case "free":
      return undefined;
    case "reserved":
    case "held":
    case "transferring":
      return state.reservation;
    case "registered":
      return state.domain;
    default:
      return assertNever(state);
  }
}

/** A name that nobody has any more. @param leftZone what stays of it at the DNS server */
export function freed(leftZone: ZoneRecords | undefined): DomainState {
  return { status: "free", ...(leftZone && { leftZone }) };
}

/** The settled change of this id, where it is remembered. */
export function settledChange(domain: RegisteredDomain, changeId: string): SettledChange | undefined {
  return domain.settledChanges.findLast((settled) => settled.changeId === changeId);
}
