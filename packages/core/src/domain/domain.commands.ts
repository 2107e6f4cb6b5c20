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

/** Takes the name for a registration. */
export type ReserveRegistration = Command<
  "ReserveRegistration",
  Omit<RegistrationReserved["data"], "reservedAt">
>;

/** Ends a registration without a domain. */
export type ReleaseRegistration = Command<
  "ReleaseRegistration",
  { readonly registrationId: string; readonly reason: ReleaseReason }
>;

/** Keeps the name taken while the charge goes back and the registrar has not answered. */
export type HoldRegistration = Command<"HoldRegistration", { readonly registrationId: string }>;

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
export type RecordZoneCreated = Command<
  "RecordZoneCreated",
  {
    readonly registrationId: string;
    readonly records: ZoneCreated["data"]["records"];
  }
>;

/** Records that the managed zone could not be created. */
export type RecordZoneFailed = Command<
  "RecordZoneFailed",
  { readonly registrationId: string; readonly reason: string }
>;

/** Records that the registrar delegates to the nameservers that the customer asked for, which may be the service's own. */
export type RecordNameserversChanged = Command<
  "RecordNameserversChanged",
  {
    readonly registrationId: string;
    readonly nameservers: NameserversChanged["data"]["nameservers"];
    readonly usesServiceNameservers?: boolean;
  }
>;

/** Records that the registrar did not take the customer's nameservers. */
export type RecordNameserversRefused = Command<
  "RecordNameserversRefused",
  {
    readonly registrationId: string;
    readonly requested: NameserversRefused["data"]["requested"];
    readonly reason: string;
  }
>;

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
export type ReserveTransfer = Command<
  "ReserveTransfer",
  Omit<TransferFact<"TransferReserved">, "reservedAt">
>;

/** Ends a transfer to us without the domain. */
export type ReleaseTransfer = Command<
  "ReleaseTransfer",
  Pick<TransferFact<"TransferReleased">, "transferId" | "reason">
>;

/** Records that the name came over. */
export type TransferDomainIn = Command<
  "TransferDomainIn",
  Omit<TransferFact<"DomainTransferredIn">, "domainId" | "accountId" | "name" | "autoRenew" | "transferredAt">
>;

/** What the run of a transfer to us asks of a name. */
export type TransferNameCommand = ReserveTransfer | ReleaseTransfer | TransferDomainIn;

/** Begins a change that another provider carries out. */
export type StartDomainChange = Command<
  "StartDomainChange",
  {
    readonly changeId: string;
    readonly change: DomainChange;
    /** The run that registered the domain is over, whatever it came to: it asks nobody for anything any more. */
    readonly registrationEnded: boolean;
  }
>;

/** Records, within a change of the nameservers, that the zone exists which they need. */
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

/** Records that the change is carried out. */
export type CompleteDomainChange = Command<"CompleteDomainChange", { readonly changeId: string }>;

/** Records that the other provider does not carry the change out, or that staff waits for its answer no more. */
export type FailDomainChange = Command<
  "FailDomainChange",
  {
    readonly changeId: string;
    readonly code: ChangeFailure;
    readonly reason: string;
    readonly by: DomainChangeFailed["data"]["by"];
  }
>;

/** Turns automatic renewal on or off; no other provider is asked. */
export type SetAutoRenewal = Command<
  "SetAutoRenewal",
  { readonly changeId: string; readonly autoRenew: boolean }
>;

/** What a customer's change asks of a domain. */
export type DomainChangeCommand =
  | StartDomainChange
  | RecordChangeZone
  | RecordChangedSetting
  | CompleteDomainChange
  | FailDomainChange
  | SetAutoRenewal;

/** Staff suspends a domain, or lifts the suspension. */
export type SetDomainSuspension = Command<
  "SetDomainSuspension",
  { readonly suspended: boolean; readonly staffReason?: string }
>;

/** How a suspended domain is kept from resolving. */
export type OfflineBy = "registrar" | "zone";

/** Records that a domain does not resolve any more, or does so again (null). */
export type RecordOffline = Command<"RecordOffline", { readonly offline: OfflineBy | null }>;

/** Staff marks a domain as on its way to another registrar, or no longer. */
export type SetDomainTransfer = Command<"SetDomainTransfer", { readonly transferring: boolean }>;

/** What staff asks of a domain, and what comes of it. */
export type DomainStatusCommand = SetDomainSuspension | RecordOffline | SetDomainTransfer;

/** Records that a delivery does not succeed by itself: staff must look. */
export type SuspendDelivery = Command<"SuspendDelivery", { readonly reason: string }>;

/** Staff lets a delivery be tried again. */
export type ResumeDelivery = Command<"ResumeDelivery">;

/** Staff leaves a delivery as it is. */
export type AbandonDelivery = Command<"AbandonDelivery", { readonly reason: string }>;

/** What becomes of a delivery that does not succeed by itself. */
export type DomainDeliveryCommand = SuspendDelivery | ResumeDelivery | AbandonDelivery;

/** Begins a renewal of the present expiry date. */
export type StartRenewal = Command<
  "StartRenewal",
  Pick<
    DomainRenewalStarted["data"],
    "renewalId" | "years" | "automatic" | "restoration" | "expiresAt" | "yearNetCents"
  > & {
    /** What becomes of names of its extension that nobody renews. */
    readonly lifeCycle: ExtensionLifeCycle;
    /** Of an automatic renewal: what the account has in cents (EUR), where that is why it is tried now. */
    readonly availableCents?: bigint;
  }
>;

/** Records that an automatic renewal that is due has failed before it began: the registrar says that it would refuse it. */
export type ForgoRenewal = Command<
  "ForgoRenewal",
  Pick<StartRenewal["data"], "renewalId" | "availableCents">
>;

/** Records that the registrar renewed the name and that it is paid for. */
export type RecordRenewed = Command<
  "RecordRenewed",
  Pick<DomainRenewed["data"], "renewalId" | "chargeId" | "invoiceId" | "grossCents" | "expiresAt">
>;

/** Records that a renewal ended without one, with nothing charged. */
export type RecordRenewalFailed = Command<
  "RecordRenewalFailed",
  Pick<DomainRenewalFailed["data"], "renewalId" | "reason" | "requiredCents"> & {}
>;

/** Lets an automatic renewal catch up that is more than a year late. */
export type AllowLateRenewal = Command<"AllowLateRenewal">;

/** Records that nobody renewed the domain in time. */
export type ExpireDomain = Command<"ExpireDomain">;

/** What renewal and the passing of time ask of a domain. */
export type DomainRenewalCommand =
  | StartRenewal
  | ForgoRenewal
  | RecordRenewed
  | RecordRenewalFailed
  | AllowLateRenewal
  | ExpireDomain;

/** Records that nobody renewed the domain in its days of grace, and that its registrar gave it up. */
export type WithholdDomain = Command<"WithholdDomain", { readonly lifeCycle: ExtensionLifeCycle }>;

/** Records that nobody had the domain back to the end, and that its registrar does not hold it any more. */
export type DeleteDomain = Command<"DeleteDomain", { readonly lifeCycle: ExtensionLifeCycle }>;

/** Records that another registrar holds the name: by a message, or, where that is null, since it was on its way there and is gone. */
export type RecordTransferredAway = Command<
  "RecordTransferredAway",
  { readonly registrar: string; readonly messageId: string | null }
>;

/** Records that the registry renewed the name by itself. */
export type FollowExpiry = Command<
  "FollowExpiry",
  { readonly registrar: string; readonly messageId: string; readonly expiresAt: string }
>;

/** What the registry's messages ask of a domain. */
export type DomainRegistryCommand = RecordTransferredAway | FollowExpiry;

/** Everything that can be asked of a name. */
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
