import type {
  DomainRegistered,
  NameserversChanged,
  NameserversRefused,
  RegistrationReserved,
  ReleaseReason,
  ZoneCreated,
} from "./domain.events.ts";

/** Takes the name for a registration. */
export interface ReserveRegistration {
  readonly type: "ReserveRegistration";
  readonly data: Omit<RegistrationReserved["data"], "reservedAt"> & { readonly at: string };
}

/** Ends a registration without a domain. */
export interface ReleaseRegistration {
  readonly type: "ReleaseRegistration";
  readonly data: { readonly registrationId: string; readonly reason: ReleaseReason; readonly at: string };
}

/** Keeps the name taken while the charge goes back and the registrar has not answered. */
export interface HoldRegistration {
  readonly type: "HoldRegistration";
  readonly data: { readonly registrationId: string; readonly at: string };
}

/** Records what the registrar registered. */
export interface RegisterDomain {
  readonly type: "RegisterDomain";
  readonly data: Pick<
    DomainRegistered["data"],
    | "registrationId"
    | "provider"
    | "whoisPrivacy"
    | "transferLock"
    | "nameservers"
    | "chargeId"
    | "invoiceId"
    | "grossCents"
    | "registeredAt"
    | "expiresAt"
  >;
}

/** Records that the managed zone exists. */
export interface RecordZoneCreated {
  readonly type: "RecordZoneCreated";
  readonly data: {
    readonly registrationId: string;
    readonly records: ZoneCreated["data"]["records"];
    readonly at: string;
  };
}

/** Records that the managed zone could not be created. */
export interface RecordZoneFailed {
  readonly type: "RecordZoneFailed";
  readonly data: { readonly registrationId: string; readonly reason: string; readonly at: string };
}

/** Records that the registrar delegates to the customer's nameservers. */
export interface RecordNameserversChanged {
  readonly type: "RecordNameserversChanged";
  readonly data: {
    readonly registrationId: string;
    readonly nameservers: NameserversChanged["data"]["nameservers"];
    readonly at: string;
  };
}

/** Records that the registrar did not take the customer's nameservers. */
export interface RecordNameserversRefused {
  readonly type: "RecordNameserversRefused";
  readonly data: {
    readonly registrationId: string;
    readonly requested: NameserversRefused["data"]["requested"];
    readonly reason: string;
    readonly at: string;
  };
}

/** Everything that can be asked of a name. */
export type DomainCommand =
  | ReserveRegistration
  | ReleaseRegistration
  | HoldRegistration
  | RegisterDomain
  | RecordZoneCreated
  | RecordZoneFailed
  | RecordNameserversChanged
  | RecordNameserversRefused;
