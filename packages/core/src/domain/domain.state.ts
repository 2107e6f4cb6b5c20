import type { List, Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { OfflineBy } from "./domain.commands.ts";
import type { ChangeFailure, DomainChange, DomainRenewalStarted } from "./domain.events.ts";

/** The registration or transfer that reserved a name. */
export interface Reservation {
  readonly registrationId: string;
  readonly domainId: number;
  readonly accountId: number;
  readonly name: string;
  readonly years: number;
  readonly autoRenew: boolean;
  /** The customer's own nameservers from the order; null for the service's. */
  readonly requestedNameservers: readonly string[] | null;
  /** The registrar of the order; null if the reservation does not name it. */
  readonly provider: string | null;
  /** Zone left at the DNS server by an earlier domain that was transferred away; absent if there is none. */
  readonly leftZone?: ZoneRecords;
}

/** Records of a managed zone by id. The map shares structure between states, so folding takes linear time. */
export type ZoneRecords = PersistentMap<number, RecordedDnsRecord>;

export interface PendingChange {
  readonly changeId: string;
  readonly change: DomainChange;
  readonly startedAt: string;
}

export type PendingRenewal = DomainRenewalStarted["data"];

export type SettledChange = { readonly changeId: string; readonly change: DomainChange | null } & (
  | { readonly outcome: "done" }
  | { readonly outcome: "failed"; readonly code: ChangeFailure; readonly reason: string }
);

/** Maximum ended changes in the state, with which repeated requests are answered. */
export const rememberedChanges = 100;

export interface RenewalHistory {
  /** Result of each renewal, because an id renews only once. */
  readonly ended: PersistentMap<string, "renewed" | "failed">;
  /** Failed automatic renewals of the present expiry date. */
  readonly automaticFailures: number;
  /** Time of the last failure; null before the first. */
  readonly lastAutomaticFailureAt: string | null;
  /** Amount in cents (EUR) that the balance did not cover; null if the last renewal failed for another reason. */
  readonly missedCents: bigint | null;
  /** Instant up to which staff allow late automatic renewals; null without permission. */
  readonly lateAllowedAt: string | null;
}

/** Conditions of a domain that staff or expiry set independently. */
export interface DomainFlags {
  readonly suspended: boolean;
  readonly transferring: boolean;
  readonly expired: boolean;
}

/** Delivery of a new domain: still running (`open`), waiting for staff, or abandoned by staff. */
export type DeliveryStatus =
  | { readonly status: "open" }
  | { readonly status: "suspended"; readonly reason: string }
  | { readonly status: "abandoned" };

export interface RegisteredDomain extends Reservation, DomainFlags {
  readonly usesServiceNameservers: boolean;
  readonly nameservers: readonly string[];
  /** True once the registration's nameservers were set, refused, or changed by the customer. */
  readonly delegationSettled: boolean;
  /** Null if the managed zone does not exist. The zone and its records stay while the domain uses other nameservers. */
  readonly zone: { readonly records: ZoneRecords } | null;
  /** True after a recorded failure to create the zone. */
  readonly zoneFailed: boolean;
  /** Reason why the registrar refused the ordered nameservers; null if it did not. */
  readonly nameserversRefusal: string | null;
  readonly delivery: DeliveryStatus;
  /** Staff's reason for the suspension; null without a reason or a suspension. */
  readonly suspensionReason: string | null;
  /** How the domain is removed from the DNS; null while it resolves, also before a suspension takes effect. */
  readonly offline: OfflineBy | null;
  readonly whoisPrivacy: boolean;
  readonly transferLock: boolean;
  readonly expiresAt: string;
  /** True after the registrar gave up the expired name, which can then only be restored. */
  readonly withheld: boolean;
  readonly renewal: PendingRenewal | null;
  readonly renewals: RenewalHistory;
  readonly pendingChange: PendingChange | null;
  /** Latest changes, newest last; at most {@link rememberedChanges}. */
  readonly settledChanges: List<SettledChange>;
}

/** State of a name. `held`: the charge is being refunded, but the registrar has not answered. */
export type DomainState =
  | { readonly status: "free"; readonly leftZone?: ZoneRecords }
  | { readonly status: "reserved"; readonly reservation: Reservation }
  | { readonly status: "held"; readonly reservation: Reservation }
  | { readonly status: "transferring"; readonly reservation: Reservation }
  | { readonly status: "registered"; readonly domain: RegisteredDomain };

/** Approximate memory of a zone's record or an ended change, in bytes. */
const bytesOfEntry = 500;

/** Returns the approximate memory of a name's zone and changes, in bytes. */
export function bytesOfDomain(state: DomainState): number {
  if (state.status !== "registered") return 0;
  const { zone, settledChanges } = state.domain;
  return ((zone?.records.size ?? 0) + settledChanges.size) * bytesOfEntry;
}

/** The life-cycle status of a domain (specification §2.1). */
export type DomainStatus = "active" | "suspended" | "transferring" | "expired";

/** Returns the displayed status. `expired` hides staff's flags until the domain is renewed. */
export function domainStatusOf({ suspended, transferring, expired }: DomainFlags): DomainStatus {
  if (expired) return "expired";
  if (suspended) return "suspended";
  return transferring ? "transferring" : "active";
}

/** Returns the reservation or domain of a name; undefined if it is free. */
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

/** Returns a free name. @param leftZone zone that remains at the DNS server */
export function freed(leftZone: ZoneRecords | undefined): DomainState {
  return { status: "free", ...(leftZone && { leftZone }) };
}

/** Returns the ended change with this id; undefined if it is not in the state. */
export function settledChange(domain: RegisteredDomain, changeId: string): SettledChange | undefined {
  return domain.settledChanges.findLast((settled) => settled.changeId === changeId);
}
