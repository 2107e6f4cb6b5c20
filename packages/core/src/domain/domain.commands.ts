import type { Command } from "../kernel/decider.ts";
import type { ExtensionLifeCycle } from "../pricing/extension-life-cycle.ts";
import type {
  ChangeFailure,
  DomainChangeFailed,
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

/** Reserves the name for a registration. */
export type ReserveRegistration = Command<
  "ReserveRegistration",
  Omit<RegistrationReserved["data"], "reservedAt">
>;

/** Ends a registration without a domain. */
export type ReleaseRegistration = Command<
  "ReleaseRegistration",
  { readonly registrationId: string; readonly reason: ReleaseReason }
>;

/** Keeps the name reserved while the charge is refunded and the registrar has not answered. */
export type HoldRegistration = Command<"HoldRegistration", { readonly registrationId: string }>;

/** Records the registrar's registration. */
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

export type RecordZoneCreated = Command<
  "RecordZoneCreated",
  {
    readonly registrationId: string;
    readonly records: ZoneCreated["data"]["records"];
  }
>;

export type RecordZoneFailed = Command<
  "RecordZoneFailed",
  { readonly registrationId: string; readonly reason: string }
>;

/** Records that the registrar delegates to the requested nameservers, which may be the service's own. */
export type RecordNameserversChanged = Command<
  "RecordNameserversChanged",
  {
    readonly registrationId: string;
    readonly nameservers: NameserversChanged["data"]["nameservers"];
    readonly usesServiceNameservers?: boolean;
  }
>;

/** Records that the registrar refused the customer's nameservers. */
export type RecordNameserversRefused = Command<
  "RecordNameserversRefused",
  {
    readonly registrationId: string;
    readonly requested: NameserversRefused["data"]["requested"];
    readonly reason: string;
  }
>;

/** Commands of a registration's run. */
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

/** Reserves the name for a transfer to us. */
export type ReserveTransfer = Command<
  "ReserveTransfer",
  Omit<TransferFact<"TransferReserved">, "reservedAt">
>;

/** Ends a transfer to us without the domain. */
export type ReleaseTransfer = Command<
  "ReleaseTransfer",
  Pick<TransferFact<"TransferReleased">, "transferId" | "reason">
>;

/** Records that the name was transferred to us. */
export type TransferDomainIn = Command<
  "TransferDomainIn",
  Omit<TransferFact<"DomainTransferredIn">, "domainId" | "accountId" | "name" | "autoRenew" | "transferredAt">
>;

/** Commands of the run of a transfer to us. */
export type TransferNameCommand = ReserveTransfer | ReleaseTransfer | TransferDomainIn;

/** Starts a change that a provider carries out. */
export type StartDomainChange = Command<
  "StartDomainChange",
  {
    readonly changeId: string;
    readonly change: DomainChange;
    /** True if the registration's run has ended and therefore sends no more provider calls. */
    readonly registrationEnded: boolean;
  }
>;

/** Records the new zone during a change to the service's nameservers. */
export type RecordChangeZone = Command<
  "RecordChangeZone",
  {
    readonly changeId: string;
    readonly records: ZoneCreated["data"]["records"];
  }
>;

/** Records that one of several settings was changed. */
export type RecordChangedSetting = Command<
  "RecordChangedSetting",
  {
    readonly changeId: string;
    readonly setting: "whoisPrivacy" | "transferLock";
  }
>;

/** Records that the change was carried out. */
export type CompleteDomainChange = Command<"CompleteDomainChange", { readonly changeId: string }>;

/** Records that the provider refused the change, or that staff ended it without an answer. */
export type FailDomainChange = Command<
  "FailDomainChange",
  {
    readonly changeId: string;
    readonly code: ChangeFailure;
    readonly reason: string;
    readonly by: DomainChangeFailed["data"]["by"];
  }
>;

/** Turns automatic renewal on or off without a provider call. */
export type SetAutoRenewal = Command<
  "SetAutoRenewal",
  { readonly changeId: string; readonly autoRenew: boolean }
>;

/** Commands of customers' changes. */
export type DomainChangeCommand =
  | StartDomainChange
  | RecordChangeZone
  | RecordChangedSetting
  | CompleteDomainChange
  | FailDomainChange
  | SetAutoRenewal;

/** Staff suspend a domain or end its suspension. */
export type SetDomainSuspension = Command<
  "SetDomainSuspension",
  { readonly suspended: boolean; readonly staffReason?: string }
>;

/** How a suspended domain is removed from the DNS. */
export type OfflineBy = "registrar" | "zone";

/** Records that a domain no longer resolves, or resolves again (null). */
export type RecordOffline = Command<"RecordOffline", { readonly offline: OfflineBy | null }>;

/** Staff start or end the transfer of a domain to another registrar. */
export type SetDomainTransfer = Command<"SetDomainTransfer", { readonly transferring: boolean }>;

/** Commands of staff's decisions and their results. */
export type DomainStatusCommand = SetDomainSuspension | RecordOffline | SetDomainTransfer;

/** Records that a delivery failed and needs staff. */
export type SuspendDelivery = Command<"SuspendDelivery", { readonly reason: string }>;

/** Staff retry a delivery. */
export type ResumeDelivery = Command<"ResumeDelivery">;

/** Staff abandon a delivery. */
export type AbandonDelivery = Command<"AbandonDelivery", { readonly reason: string }>;

/** Commands of a failed delivery. */
export type DomainDeliveryCommand = SuspendDelivery | ResumeDelivery | AbandonDelivery;

/** Starts a renewal of the present expiry date. */
export type StartRenewal = Command<
  "StartRenewal",
  Pick<
    DomainRenewalStarted["data"],
    "renewalId" | "years" | "automatic" | "restoration" | "expiresAt" | "yearNetCents"
  > & {
    /** Life cycle of the extension's expired names. */
    readonly lifeCycle: ExtensionLifeCycle;
    /** Balance of the account in cents (EUR), if a new balance triggers this automatic renewal. */
    readonly availableCents?: bigint;
  }
>;

/** Records that a due automatic renewal failed before it began, because the registrar would refuse it. */
export type ForgoRenewal = Command<
  "ForgoRenewal",
  Pick<StartRenewal["data"], "renewalId" | "availableCents">
>;

/** Records that the registrar renewed the name and that it is paid. */
export type RecordRenewed = Command<
  "RecordRenewed",
  Pick<DomainRenewed["data"], "renewalId" | "chargeId" | "invoiceId" | "grossCents" | "expiresAt">
>;

/** Records that a renewal failed without a charge. */
export type RecordRenewalFailed = Command<
  "RecordRenewalFailed",
  Pick<DomainRenewalFailed["data"], "renewalId" | "reason" | "requiredCents"> & {}
>;

/** Allows an automatic renewal that is more than a year late. */
export type AllowLateRenewal = Command<"AllowLateRenewal">;

/** Records that the domain expired. */
export type ExpireDomain = Command<"ExpireDomain">;

/** Commands of renewal and expiry. */
export type DomainRenewalCommand =
  | StartRenewal
  | ForgoRenewal
  | RecordRenewed
  | RecordRenewalFailed
  | AllowLateRenewal
  | ExpireDomain;

/** Records that the registrar gave up an expired domain after its days of grace. */
export type WithholdDomain = Command<"WithholdDomain", { readonly lifeCycle: ExtensionLifeCycle }>;

/** Records that the registrar deleted an expired domain. */
export type DeleteDomain = Command<"DeleteDomain", { readonly lifeCycle: ExtensionLifeCycle }>;

/** Records a transfer to another registrar; `messageId` is null if no poll message announced it. */
export type RecordTransferredAway = Command<
  "RecordTransferredAway",
  { readonly registrar: string; readonly messageId: string | null }
>;

/** Records that the registry renewed the name by itself. */
export type FollowExpiry = Command<
  "FollowExpiry",
  { readonly registrar: string; readonly messageId: string; readonly expiresAt: string }
>;

/** Commands that follow poll messages. */
export type DomainRegistryCommand = RecordTransferredAway | FollowExpiry;

export type DomainCommand =
  | RegistrationNameCommand
  | TransferNameCommand
  | DomainDeliveryCommand
  | DomainChangeCommand
  | DomainStatusCommand
  | DomainRenewalCommand
  | WithholdDomain
  | DeleteDomain
  | DomainRegistryCommand;
