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

/** Everything that happens to a name. */
export type DomainNameEvent =
  | RegistrationReserved
  | RegistrationReleased
  | RegistrationHeld
  | DomainRegistered
  | ZoneCreated
  | ZoneCreationFailed
  | NameserversChanged
  | NameserversRefused;
