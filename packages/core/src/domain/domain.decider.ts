import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, type Decider, type Decision, reject } from "../kernel/decider.ts";
import { lifeCycleDates } from "../pricing/extension-life-cycle.ts";
import { evolveChange } from "./domain-changes.evolution.ts";
import { decideChange } from "./domain-changes.ts";
import { decideDeliveryWord, evolveDeliveryWord } from "./domain-delivery.ts";
import { decideRegistration, evolveDelivery, evolveReservation } from "./domain-registration.ts";
import { decideRegistryNews, evolveFollowed } from "./domain-registry-news.ts";
import { decideRenewal, evolveRenewal } from "./domain-renewal.ts";
import { decideStatus, evolveStatus } from "./domain-status.ts";
import { decideTransfer, evolveTransfer } from "./domain-transfer.ts";
import type { DeleteDomain, DomainCommand, WithholdDomain } from "./domain.commands.ts";
import type { DomainDeleted, DomainNameEvent, DomainTransferEvent, DomainWithheld } from "./domain.events.ts";
import { type DomainState, freed, type RegisteredDomain } from "./domain.state.ts";

/** Rules of a name (stream `domain-<fqdn>`): one registration, owner, change and renewal at a time. This file dispatches. */
export const domain: Decider<DomainCommand, DomainState, DomainNameEvent> = {
  initialState: { status: "free" },
  decide,
  evolve,
};

function decide(command: DomainCommand, state: DomainState): Decision<DomainNameEvent> {
  switch (command.type) {
    case "ReserveRegistration":
    case "ReleaseRegistration":
    case "HoldRegistration":
    case "RegisterDomain":
    case "RecordZoneCreated":
    case "RecordZoneFailed":
    case "RecordNameserversChanged":
    case "RecordNameserversRefused":
      return decideRegistration(command, state);
    case "ReserveTransfer":
    case "ReleaseTransfer":
    case "TransferDomainIn":
      return decideTransfer(command, state);
    case "StartDomainChange":
    case "RecordChangeZone":
    case "RecordChangedSetting":
    case "CompleteDomainChange":
    case "FailDomainChange":
    case "SetAutoRenewal":
      return state.status === "registered" ? decideChange(command, state.domain) : notOurs(state);
    case "SuspendDelivery":
    case "ResumeDelivery":
    case "AbandonDelivery":
      return state.status === "registered" ? decideDeliveryWord(command, state.domain) : notOurs(state);
    case "SetDomainSuspension":
    case "RecordOffline":
    case "SetDomainTransfer":
      return state.status === "registered" ? decideStatus(command, state.domain) : notOurs(state);
    case "StartRenewal":
    case "ForgoRenewal":
    case "RecordRenewed":
    case "RecordRenewalFailed":
    case "AllowLateRenewal":
    case "ExpireDomain":
      return state.status === "registered" ? decideRenewal(command, state.domain) : notOurs(state);
    case "WithholdDomain":
    case "DeleteDomain":
      return state.status === "registered" ? decideEnd(command, state.domain) : notOurs(state);
    case "RecordTransferredAway":
    case "FollowExpiry":
      return state.status === "registered" ? decideRegistryNews(command, state.domain) : notOurs(state);
    default:
      return assertNever(command);
  }
}

/** A customer sees a name during its transfer to us, but cannot change it before its end. */
function notOurs({ status }: DomainState): Decision<never> {
  if (status !== "transferring") return reject("not-found");
  return reject("domain-not-active", "The domain is on its way to us from another registrar.");
}

function evolve(state: DomainState, event: DomainNameEvent): DomainState {
  switch (event.type) {
    case "RegistrationReserved":
    case "RegistrationReleased":
    case "RegistrationHeld":
    case "DomainRegistered":
      return evolveReservation(state, event);
    case "TransferReserved":
    case "TransferReleased":
    case "DomainTransferredIn":
      return evolveTransfer(state, event);
    default:
      if (state.status !== "registered") throw new CorruptStreamError(event.type, state.status);
      if (event.type === "DomainTransferredAway")
        return freed(state.domain.zone?.records ?? state.domain.leftZone);
      // The domain's own zone was removed before; without one, the zone of an earlier domain remains.
      if (event.type === "DomainDeleted")
        return freed(state.domain.zone === null ? state.domain.leftZone : undefined);
      return { status: "registered", domain: evolveRegistered(state.domain, event) };
  }
}

function evolveRegistered(
  state: RegisteredDomain,
  event: Exclude<
    DomainNameEvent,
    | DomainTransferEvent
    | {
        type:
          | "RegistrationReserved"
          | "RegistrationReleased"
          | "RegistrationHeld"
          | "DomainRegistered"
          | "DomainDeleted"
          | "DomainTransferredAway";
      }
  >,
): RegisteredDomain {
  switch (event.type) {
    case "ZoneCreated":
    case "ZoneCreationFailed":
    case "NameserversChanged":
    case "NameserversRefused":
      return evolveDelivery(state, event);
    case "DomainChangeStarted":
    case "DomainChangeCompleted":
    case "DomainChangeFailed":
    case "DnsRecordAdded":
    case "DnsRecordUpdated":
    case "DnsRecordDeleted":
    case "AutoRenewalChanged":
    case "WhoisPrivacyChanged":
    case "TransferLockChanged":
      return evolveChange(state, event);
    case "DomainDeliverySuspended":
    case "DomainDeliveryResumed":
    case "DomainDeliveryAbandoned":
      return evolveDeliveryWord(state, event);
    case "DomainRenewalStarted":
    case "DomainRenewed":
    case "DomainRenewalFailed":
    case "LateRenewalAllowed":
    case "DomainExpired":
      return evolveRenewal(state, event);
    case "DomainSuspended":
    case "DomainUnsuspended":
    case "DomainTakenOffline":
    case "DomainBroughtOnline":
    case "DomainTransferStarted":
    case "DomainTransferEnded":
      return evolveStatus(state, event);
    case "DomainWithheld":
      if (!state.expired || state.withheld) throw new CorruptStreamError(event.type, "no expired domain");
      return { ...state, withheld: true };
    case "DomainExpiryFollowed":
      return evolveFollowed(state, event);
    default:
      return assertNever(event);
  }
}

/** Rules of an expired domain: withheld after the days of grace, deleted at the end. Work in progress ends first. */
function decideEnd(
  { type, data: { at, lifeCycle } }: WithholdDomain | DeleteDomain,
  { domainId, accountId, name, expiresAt, ...domain }: RegisteredDomain,
): Decision<DomainWithheld | DomainDeleted> {
  if (domain.renewal !== null) return reject("renewal-in-flight");
  if (domain.pendingChange !== null) return reject("change-in-flight");
  if (!domain.expired) return reject("domain-not-active", "The domain has not expired.");
  if (domain.transferring)
    return reject("domain-not-active", "The domain is on its way to another registrar.");
  const { holdBeginsAt, deletesAt } = lifeCycleDates(expiresAt, lifeCycle);
  const about = { domainId, accountId, name, expiresAt };
  if (type === "DeleteDomain")
    return at < deletesAt
      ? reject("domain-not-active", "The domain can still be restored.")
      : accept({ type: "DomainDeleted", data: { ...about, deletedAt: at } });
  if (domain.withheld) return accept();
  return at <= holdBeginsAt
    ? reject("domain-not-active", "The domain can still be renewed.")
    : accept({ type: "DomainWithheld", data: { ...about, withheldAt: at } });
}
