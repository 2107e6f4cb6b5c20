import type {
  ChangeFailure,
  DomainChange,
  DomainRegistered,
  DomainRenewalFailed,
  DomainRenewalStarted,
  DomainRenewed,
  DomainTransferEvent,
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

/** What a registration's run asks of a name. */
export type RegistrationNameCommand =
  | ReserveRegistration
  | ReleaseRegistration
  | HoldRegistration
  | RegisterDomain
  | RecordZoneCreated
  | RecordZoneFailed
  | RecordNameserversChanged
  | RecordNameserversRefused;

type TransferFact<Type extends DomainTransferEvent["type"]> = Extract<
  DomainTransferEvent,
  { type: Type }
>["data"];

/** Takes the name for a transfer to us. */
export interface ReserveTransfer {
  readonly type: "ReserveTransfer";
  readonly data: Omit<TransferFact<"TransferReserved">, "reservedAt"> & { readonly at: string };
}

/** Ends a transfer to us without the domain. */
export interface ReleaseTransfer {
  readonly type: "ReleaseTransfer";
  readonly data: Pick<TransferFact<"TransferReleased">, "transferId" | "reason"> & { readonly at: string };
}

/** Records that the name came over. */
export interface TransferDomainIn {
  readonly type: "TransferDomainIn";
  readonly data: Omit<
    TransferFact<"DomainTransferredIn">,
    "domainId" | "accountId" | "name" | "autoRenew" | "transferredAt"
  > & { readonly at: string };
}

/** What the run of a transfer to us asks of a name. */
export type TransferNameCommand = ReserveTransfer | ReleaseTransfer | TransferDomainIn;

/** Begins a change that another provider carries out. */
export interface StartDomainChange {
  readonly type: "StartDomainChange";
  readonly data: {
    readonly changeId: string;
    readonly change: DomainChange;
    /** The run that registered the domain is over, whatever it came to: it asks nobody for anything any more. */
    readonly registrationEnded: boolean;
    readonly at: string;
  };
}

/** Records, within a change of the nameservers, that the zone exists which they need. */
export interface RecordChangeZone {
  readonly type: "RecordChangeZone";
  readonly data: {
    readonly changeId: string;
    readonly records: ZoneCreated["data"]["records"];
    readonly at: string;
  };
}

/** Records that one of several settings was changed. */
export interface RecordChangedSetting {
  readonly type: "RecordChangedSetting";
  readonly data: {
    readonly changeId: string;
    readonly setting: "whoisPrivacy" | "transferLock";
    readonly at: string;
  };
}

/** Records that the change is carried out. */
export interface CompleteDomainChange {
  readonly type: "CompleteDomainChange";
  readonly data: { readonly changeId: string; readonly at: string };
}

/** Records that the other provider does not carry the change out. */
export interface FailDomainChange {
  readonly type: "FailDomainChange";
  readonly data: {
    readonly changeId: string;
    readonly code: ChangeFailure;
    readonly reason: string;
    readonly at: string;
  };
}

/** Turns automatic renewal on or off; no other provider is asked. */
export interface SetAutoRenewal {
  readonly type: "SetAutoRenewal";
  readonly data: { readonly changeId: string; readonly autoRenew: boolean; readonly at: string };
}

/** What a customer's change asks of a domain. */
export type DomainChangeCommand =
  | StartDomainChange
  | RecordChangeZone
  | RecordChangedSetting
  | CompleteDomainChange
  | FailDomainChange
  | SetAutoRenewal;

/** Staff suspends a domain, or lifts the suspension. */
export interface SetDomainSuspension {
  readonly type: "SetDomainSuspension";
  readonly data: { readonly suspended: boolean; readonly at: string };
}

/** Staff marks a domain as on its way to another registrar, or no longer. */
export interface SetDomainTransfer {
  readonly type: "SetDomainTransfer";
  readonly data: { readonly transferring: boolean; readonly at: string };
}

/** What staff asks of a domain. */
export type DomainStatusCommand = SetDomainSuspension | SetDomainTransfer;

/** Records that a delivery does not succeed by itself: staff must look. */
export interface SuspendDelivery {
  readonly type: "SuspendDelivery";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Staff lets a delivery be tried again. */
export interface ResumeDelivery {
  readonly type: "ResumeDelivery";
  readonly data: { readonly at: string };
}

/** Staff leaves a delivery as it is. */
export interface AbandonDelivery {
  readonly type: "AbandonDelivery";
  readonly data: { readonly reason: string; readonly at: string };
}

/** What becomes of a delivery that does not succeed by itself. */
export type DomainDeliveryCommand = SuspendDelivery | ResumeDelivery | AbandonDelivery;

/** Begins a renewal of the present expiry date. */
export interface StartRenewal {
  readonly type: "StartRenewal";
  readonly data: Pick<
    DomainRenewalStarted["data"],
    "renewalId" | "years" | "automatic" | "expiresAt" | "yearNetCents"
  > & { readonly at: string };
}

/** Records that the registrar renewed the name and that it is paid for. */
export interface RecordRenewed {
  readonly type: "RecordRenewed";
  readonly data: Pick<
    DomainRenewed["data"],
    "renewalId" | "chargeId" | "invoiceId" | "grossCents" | "expiresAt"
  > & { readonly at: string };
}

/** Records that a renewal ended without one, with nothing charged. */
export interface RecordRenewalFailed {
  readonly type: "RecordRenewalFailed";
  readonly data: Pick<DomainRenewalFailed["data"], "renewalId" | "reason" | "requiredCents"> & {
    readonly at: string;
  };
}

/** Records that nobody renewed the domain in time. */
export interface ExpireDomain {
  readonly type: "ExpireDomain";
  readonly data: { readonly at: string };
}

/** What renewal and the passing of time ask of a domain. */
export type DomainRenewalCommand = StartRenewal | RecordRenewed | RecordRenewalFailed | ExpireDomain;

/** Everything that can be asked of a name. */
export type DomainCommand =
  | RegistrationNameCommand
  | TransferNameCommand
  | DomainDeliveryCommand
  | DomainChangeCommand
  | DomainStatusCommand
  | DomainRenewalCommand;
