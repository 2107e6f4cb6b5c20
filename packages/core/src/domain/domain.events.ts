/**
 * What happens to a name (stream `domain-<fqdn>`). The name itself is the stream, so that uniqueness and the one
 * registration in flight are settled by the store's expected revision.
 */

/** The name was taken for one registration; nobody else can register it until that has settled. */
export interface RegistrationReserved {
  readonly type: "RegistrationReserved";
  readonly data: {
    readonly registrationId: string;
    readonly domainId: number;
    readonly accountId: number;
    readonly name: string;
    readonly years: number;
    readonly autoRenew: boolean;
    /** The customer's own nameservers, or null for the service's. */
    readonly nameservers: readonly string[] | null;
    /** Net price of a year in cents (EUR), from the price list at this moment. */
    readonly yearNetCents: string;
    readonly reservedAt: string;
  };
}

/** Why a registration ended without a domain. */
export type ReleaseReason =
  "charge-refused" | "order-refused" | "order-not-carried-out" | "order-cancelled" | "abandoned";

/** The registration ended without a domain: the name is free again. */
export interface RegistrationReleased {
  readonly type: "RegistrationReleased";
  readonly data: {
    readonly registrationId: string;
    readonly reason: ReleaseReason;
    readonly releasedAt: string;
  };
}

/** The charge goes back, but the registrar has not told what it did: the name stays taken until it has. */
export interface RegistrationHeld {
  readonly type: "RegistrationHeld";
  readonly data: { readonly registrationId: string; readonly heldAt: string };
}

/** The name is registered at the registrar, paid for, and the account's. */
export interface DomainRegistered {
  readonly type: "DomainRegistered";
  readonly data: {
    readonly registrationId: string;
    readonly domainId: number;
    readonly accountId: number;
    readonly name: string;
    readonly provider: string;
    readonly years: number;
    readonly autoRenew: boolean;
    readonly whoisPrivacy: boolean;
    readonly transferLock: boolean;
    /** The service's own: custom ones are applied afterwards. */
    readonly nameservers: readonly string[];
    readonly chargeId: string;
    readonly invoiceId: number;
    readonly grossCents: string;
    /** The registrar's times. */
    readonly registeredAt: string;
    readonly expiresAt: string;
  };
}

/** A DNS record as a fact states it. */
export interface RecordedDnsRecord {
  readonly recordId: number;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly priority: number | null;
}

/** The managed DNS zone exists with its default records. */
export interface ZoneCreated {
  readonly type: "ZoneCreated";
  readonly data: {
    readonly domainId: number;
    readonly records: readonly RecordedDnsRecord[];
    readonly createdAt: string;
  };
}

/** The managed DNS zone could not be created; it is tried again in the background, and support opens a ticket. */
export interface ZoneCreationFailed {
  readonly type: "ZoneCreationFailed";
  readonly data: {
    readonly domainId: number;
    readonly accountId: number;
    readonly name: string;
    readonly reason: string;
    readonly failedAt: string;
  };
}

/** The domain is delegated to other nameservers. */
export interface NameserversChanged {
  readonly type: "NameserversChanged";
  readonly data: {
    readonly domainId: number;
    readonly usesServiceNameservers: boolean;
    readonly nameservers: readonly string[];
    readonly changedAt: string;
  };
}

/** The registrar did not take the requested nameservers; the present ones stay. */
export interface NameserversRefused {
  readonly type: "NameserversRefused";
  readonly data: {
    readonly domainId: number;
    readonly requested: readonly string[];
    readonly reason: string;
    readonly refusedAt: string;
  };
}

/** One change of a domain that another party must carry out, as it was asked for. */
export type DomainChange =
  | {
      readonly kind: "nameservers";
      readonly usesServiceNameservers: boolean;
      readonly nameservers: readonly string[];
    }
  | { readonly kind: "add-record"; readonly record: RecordedDnsRecord }
  | { readonly kind: "update-record"; readonly record: RecordedDnsRecord }
  | { readonly kind: "delete-record"; readonly recordId: number }
  | {
      readonly kind: "settings";
      readonly whoisPrivacy: boolean | null;
      readonly transferLock: boolean | null;
    };

/** A change was accepted and is now asked of the registrar or the DNS server: the intent before the act. */
export interface DomainChangeStarted {
  readonly type: "DomainChangeStarted";
  readonly data: {
    readonly domainId: number;
    /** The same for every repeat of one change. */
    readonly changeId: string;
    readonly change: DomainChange;
    readonly startedAt: string;
  };
}

/**
 * The change is carried out, and the facts before this one say what it came to. It is a fact of its own, since a change
 * may come to several facts, and since `NameserversChanged` (released before there were changes) does not name one.
 */
export interface DomainChangeCompleted {
  readonly type: "DomainChangeCompleted";
  readonly data: {
    readonly domainId: number;
    readonly changeId: string;
    readonly completedAt: string;
  };
}

/** Which party did not carry a change out, and whether it was reached; a code of the catalogue. */
export type ChangeFailure = "registrar-refused" | "registrar-unavailable" | "dns-unavailable";

/** The other party did not carry the change out; what no fact says has changed is as it was. */
export interface DomainChangeFailed {
  readonly type: "DomainChangeFailed";
  readonly data: {
    readonly domainId: number;
    readonly changeId: string;
    readonly code: ChangeFailure;
    readonly reason: string;
    readonly failedAt: string;
  };
}

/** A record is in the managed zone. */
export interface DnsRecordAdded {
  readonly type: "DnsRecordAdded";
  readonly data: {
    readonly domainId: number;
    readonly changeId: string;
    readonly record: RecordedDnsRecord;
    readonly addedAt: string;
  };
}

/** A record of the managed zone says something else. Its set has one TTL (RFC 2181 §5.2). */
export interface DnsRecordUpdated {
  readonly type: "DnsRecordUpdated";
  readonly data: {
    readonly domainId: number;
    readonly changeId: string;
    readonly record: RecordedDnsRecord;
    readonly updatedAt: string;
  };
}

/** A record is no longer in the managed zone. */
export interface DnsRecordDeleted {
  readonly type: "DnsRecordDeleted";
  readonly data: {
    readonly domainId: number;
    readonly changeId: string;
    readonly recordId: number;
    readonly deletedAt: string;
  };
}

/** The domain renews itself, or no longer. */
export interface AutoRenewalChanged {
  readonly type: "AutoRenewalChanged";
  readonly data: {
    readonly domainId: number;
    /** The same for every repeat of one change. */
    readonly changeId: string;
    readonly autoRenew: boolean;
    readonly changedAt: string;
  };
}

/** WHOIS privacy was turned on or off at the registrar. */
export interface WhoisPrivacyChanged {
  readonly type: "WhoisPrivacyChanged";
  readonly data: { readonly domainId: number; readonly whoisPrivacy: boolean; readonly changedAt: string };
}

/** The transfer lock was set or lifted at the registrar. */
export interface TransferLockChanged {
  readonly type: "TransferLockChanged";
  readonly data: { readonly domainId: number; readonly transferLock: boolean; readonly changedAt: string };
}

/** A renewal began; no other one can until it has ended. */
export interface DomainRenewalStarted {
  readonly type: "DomainRenewalStarted";
  readonly data: {
    readonly renewalId: string;
    readonly domainId: number;
    readonly accountId: number;
    readonly name: string;
    readonly years: number;
    readonly automatic: boolean;
    /** The expiry date that it renews: one charge for each. */
    readonly expiresAt: string;
    /** Net price of a year in cents (EUR), from the price list at this moment. */
    readonly yearNetCents: string;
    readonly startedAt: string;
  };
}

/** The registrar renewed the name, and it is paid for. */
export interface DomainRenewed {
  readonly type: "DomainRenewed";
  readonly data: {
    readonly renewalId: string;
    readonly domainId: number;
    readonly accountId: number;
    readonly years: number;
    readonly automatic: boolean;
    readonly chargeId: string;
    readonly invoiceId: number;
    readonly grossCents: string;
    readonly previousExpiresAt: string;
    readonly expiresAt: string;
    readonly renewedAt: string;
  };
}

/** Why a renewal ended without one. */
export type RenewalFailure = "insufficient-balance" | "charge-refused" | "registrar-failed" | "abandoned";

/** The renewal ended and nothing stays charged; an automatic one is tried again a day later. */
export interface DomainRenewalFailed {
  readonly type: "DomainRenewalFailed";
  readonly data: {
    readonly renewalId: string;
    readonly domainId: number;
    readonly accountId: number;
    readonly name: string;
    readonly automatic: boolean;
    readonly reason: RenewalFailure;
    readonly expiresAt: string;
    /** Gross amount that was missing or was asked for, in cents (EUR); null where no price was reached. */
    readonly requiredCents: string | null;
    readonly failedAt: string;
  };
}

/** Nobody renewed the domain in time. */
export interface DomainExpired {
  readonly type: "DomainExpired";
  readonly data: {
    readonly domainId: number;
    readonly accountId: number;
    readonly name: string;
    readonly expiresAt: string;
    readonly expiredAt: string;
  };
}

/** Staff suspended the domain. */
export interface DomainSuspended {
  readonly type: "DomainSuspended";
  readonly data: { readonly domainId: number; readonly suspendedAt: string };
}

/** Staff lifted the suspension. */
export interface DomainUnsuspended {
  readonly type: "DomainUnsuspended";
  readonly data: { readonly domainId: number; readonly unsuspendedAt: string };
}

/** The domain is on its way to another registrar. */
export interface DomainTransferStarted {
  readonly type: "DomainTransferStarted";
  readonly data: { readonly domainId: number; readonly startedAt: string };
}

/** The domain stays. */
export interface DomainTransferEnded {
  readonly type: "DomainTransferEnded";
  readonly data: { readonly domainId: number; readonly endedAt: string };
}

/** What changes of a domain come to, beside `NameserversChanged` and `ZoneCreated`. */
export type DomainChangeEvent =
  | DomainChangeStarted
  | DomainChangeCompleted
  | DomainChangeFailed
  | DnsRecordAdded
  | DnsRecordUpdated
  | DnsRecordDeleted
  | AutoRenewalChanged
  | WhoisPrivacyChanged
  | TransferLockChanged;

/** Everything that happens to the renewal of a domain. */
export type DomainRenewalEvent = DomainRenewalStarted | DomainRenewed | DomainRenewalFailed | DomainExpired;

/** Everything that happens to a name. */
export type DomainNameEvent =
  | RegistrationReserved
  | RegistrationReleased
  | RegistrationHeld
  | DomainRegistered
  | ZoneCreated
  | ZoneCreationFailed
  | NameserversChanged
  | NameserversRefused
  | DomainChangeStarted
  | DomainChangeCompleted
  | DomainChangeFailed
  | DnsRecordAdded
  | DnsRecordUpdated
  | DnsRecordDeleted
  | AutoRenewalChanged
  | WhoisPrivacyChanged
  | TransferLockChanged
  | DomainRenewalStarted
  | DomainRenewed
  | DomainRenewalFailed
  | DomainExpired
  | DomainSuspended
  | DomainUnsuspended
  | DomainTransferStarted
  | DomainTransferEnded;
