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

export type ReserveRegistration = Command<
  "ReserveRegistration",
  Omit<RegistrationReserved["data"], "reservedAt">
>;

export type ReleaseRegistration = Command<
  "ReleaseRegistration",
  { readonly registrationId: string; readonly reason: ReleaseReason }
>;

/** Keeps the name reserved while the charge is refunded and the registrar has not answered. */
export type HoldRegistration = Command<"HoldRegistration", { readonly registrationId: string }>;

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

export type RecordNameserversRefused = Command<
  "RecordNameserversRefused",
  {
    readonly registrationId: string;
    readonly requested: NameserversRefused["data"]["requested"];
    readonly reason: string;
  }
>;

export type RegistrationNameCommand =
  | ReserveRegistration
  | ReleaseRegistration
  | HoldRegistration
  | RegisterDomain
  | RecordZoneCreated
  | RecordZoneFailed
  | RecordNameserversChanged
  | RecordNameserversRefused;

type TransferEvent<Type extends DomainTransferEvent["type"]> = Extract<
  DomainTransferEvent,
  { type: Type }
>["data"];

export type ReserveTransfer = Command<
  "ReserveTransfer",
  Omit<TransferEvent<"TransferReserved">, "reservedAt">
>;

export type ReleaseTransfer = Command<
  "ReleaseTransfer",
  Pick<TransferEvent<"TransferReleased">, "transferId" | "reason">
>;

export type TransferDomainIn = Command<
  "TransferDomainIn",
  Omit<
    TransferEvent<"DomainTransferredIn">,
    "domainId" | "accountId" | "name" | "autoRenew" | "transferredAt"
  >
>;

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

export type RecordChangedSetting = Command<
  "RecordChangedSetting",
  {
    readonly changeId: string;
    readonly setting: "whoisPrivacy" | "transferLock";
  }
>;

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

export type DomainChangeCommand =
  | StartDomainChange
  | RecordChangeZone
  | RecordChangedSetting
  | CompleteDomainChange
  | FailDomainChange
  | SetAutoRenewal;

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

export type DomainStatusCommand = SetDomainSuspension | RecordOffline | SetDomainTransfer;

/** Records that a delivery failed and needs staff. */
export type SuspendDelivery = Command<"SuspendDelivery", { readonly reason: string }>;

export type ResumeDelivery = Command<"ResumeDelivery">;

export type AbandonDelivery = Command<"AbandonDelivery", { readonly reason: string }>;

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

export type ExpireDomain = Command<"ExpireDomain">;

export type DomainRenewalCommand =
  | StartRenewal
  | ForgoRenewal
  | RecordRenewed
  | RecordRenewalFailed
  | AllowLateRenewal
  | ExpireDomain;

/** Records that the registrar gave up an expired domain after its days of grace. */
export type WithholdDomain = Command<"WithholdDomain", { readonly lifeCycle: ExtensionLifeCycle }>;

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
