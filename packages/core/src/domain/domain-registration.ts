import { List, Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decision } from "../kernel/decider.ts";
import type { RegisterDomain, RegistrationNameCommand, ReserveRegistration } from "./domain.commands.ts";
import type {
  DomainRegistered,
  NameserversRefused,
  RegistrationHeld,
  RegistrationReleased,
  RegistrationReserved,
  NameserversChanged,
  ZoneCreated,
  ZoneCreationFailed,
} from "./domain.events.ts";
import { noRenewals } from "./domain-renewal.ts";
import {
  freed,
  holderOf,
  type DomainState,
  type RegisteredDomain,
  type Reservation,
  type ZoneRecords,
} from "./domain.state.ts";

export type RegistrationNameEvent =
  | RegistrationReserved
  | RegistrationReleased
  | RegistrationHeld
  | DomainRegistered
  | ZoneCreated
  | ZoneCreationFailed
  | NameserversChanged
  | NameserversRefused;

/** Rules of a registration's run: a name has one registration at a time and one owner. */
export function decideRegistration(
  command: RegistrationNameCommand,
  state: DomainState,
): Decision<RegistrationNameEvent> {
  if (command.type === "ReserveRegistration") return reserve(command, state);
  if (state.status === "transferring") return reject("registration-not-found");
  switch (command.type) {
    case "ReleaseRegistration": {
      const { registrationId, reason, at } = command.data;
      if (state.status === "free") return accept();
      if (holderOf(state)?.registrationId !== registrationId) return reject("registration-not-found");
      if (state.status === "registered") return reject("domain-taken");
      return accept({ type: "RegistrationReleased", data: { registrationId, reason, releasedAt: at } });
    }
    case "HoldRegistration": {
      const { registrationId, at } = command.data;
      if (holderOf(state)?.registrationId !== registrationId) return reject("registration-not-found");
      // A confirmed registration cannot be undone; this rejection reaches its run before the run refunds the charge.
      if (state.status === "registered") return reject("domain-taken");
      if (state.status === "held") return accept();
      return accept({ type: "RegistrationHeld", data: { registrationId, heldAt: at } });
    }
    case "RegisterDomain":
      return register(command, state);
    case "RecordZoneCreated":
    case "RecordZoneFailed":
    case "RecordNameserversChanged":
    case "RecordNameserversRefused": {
      if (state.status !== "registered" || state.domain.registrationId !== command.data.registrationId) {
        return reject("registration-not-found");
      }
      return recordDelivery(command, state.domain);
    }
    default:
      return assertNever(command);
  }
}

function reserve({ data }: ReserveRegistration, state: DomainState): Decision<RegistrationNameEvent> {
  if (state.status === "registered") return reject("domain-taken");
  if (state.status !== "free") {
    return state.reservation.registrationId === data.registrationId
      ? accept()
      : reject("registration-in-flight");
  }
  const { at, ...reservation } = data;
  return accept({ type: "RegistrationReserved", data: { ...reservation, reservedAt: at } });
}

function register({ data }: RegisterDomain, state: DomainState): Decision<RegistrationNameEvent> {
  if (holderOf(state)?.registrationId !== data.registrationId) return reject("registration-not-found");
  if (state.status === "registered") return accept();
  // After the refund began, the name can only be released.
  if (state.status !== "reserved") return reject("registration-not-found");
  const { domainId, accountId, name, years, autoRenew } = state.reservation;
  const owned = { domainId, accountId, name, years, autoRenew };
  return accept({ type: "DomainRegistered", data: { ...owned, ...data } });
}

function recordDelivery(
  command: Exclude<
    RegistrationNameCommand,
    { type: "ReserveRegistration" | "ReleaseRegistration" | "HoldRegistration" | "RegisterDomain" }
  >,
  state: RegisteredDomain,
): Decision<RegistrationNameEvent> {
  const { domainId, accountId, name } = state;
  switch (command.type) {
    case "RecordZoneCreated": {
      if (state.zone !== null) return accept();
      const { records, at } = command.data;
      return accept({ type: "ZoneCreated", data: { domainId, records, createdAt: at } });
    }
    case "RecordZoneFailed": {
      if (state.zone !== null || state.zoneFailed) return accept();
      const { reason, at } = command.data;
      return accept({
        type: "ZoneCreationFailed",
        data: { domainId, accountId, name, reason, failedAt: at },
      });
    }
    case "RecordNameserversChanged": {
      // The result is already recorded, or the customer changed the nameservers since, which takes precedence.
      if (state.delegationSettled) return accept();
      const { nameservers, usesServiceNameservers = false, at } = command.data;
      return accept({
        type: "NameserversChanged",
        data: { domainId, usesServiceNameservers, nameservers, changedAt: at },
      });
    }
    case "RecordNameserversRefused": {
      const { requested, reason, at } = command.data;
      if (state.delegationSettled) return accept();
      return accept({ type: "NameserversRefused", data: { domainId, requested, reason, refusedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

/** Applies events up to the registration. @throws CorruptStreamError if an event cannot follow the state. */
export function evolveReservation(
  state: DomainState,
  event: RegistrationReserved | RegistrationReleased | RegistrationHeld | DomainRegistered,
): DomainState {
  switch (event.type) {
    case "RegistrationReserved": {
      if (state.status !== "free") throw new CorruptStreamError(event.type, state.status);
      const { registrationId, domainId, accountId, name, years, autoRenew, nameservers, provider } =
        event.data;
      return {
        status: "reserved",
        reservation: {
          registrationId,
          domainId,
          accountId,
          name,
          years,
          autoRenew,
          requestedNameservers: nameservers,
          provider,
          ...(state.leftZone && { leftZone: state.leftZone }),
        },
      };
    }
    case "RegistrationReleased": {
      if (state.status !== "reserved" && state.status !== "held")
        throw new CorruptStreamError(event.type, state.status);
      return freed(state.reservation.leftZone);
    }
    case "RegistrationHeld": {
      if (state.status !== "reserved") throw new CorruptStreamError(event.type, state.status);
      return { status: "held", reservation: state.reservation };
    }
    case "DomainRegistered": {
      if (state.status !== "reserved") throw new CorruptStreamError(event.type, state.status);
      return { status: "registered", domain: newDomain(state.reservation, event.data, true) };
    }
    default:
      return assertNever(event);
  }
}

/** Returns a newly registered domain with the registrar's values. */
export function newDomain(
  reservation: Reservation,
  held: Pick<
    DomainRegistered["data"],
    "provider" | "nameservers" | "whoisPrivacy" | "transferLock" | "expiresAt"
  >,
  usesServiceNameservers: boolean,
): RegisteredDomain {
  const { provider, nameservers, whoisPrivacy, transferLock, expiresAt } = held;
  return {
    ...reservation,
    provider,
    usesServiceNameservers,
    nameservers,
    delegationSettled: false,
    zone: null,
    zoneFailed: false,
    nameserversRefusal: null,
    delivery: { status: "open" },
    whoisPrivacy,
    transferLock,
    expiresAt,
    suspended: false,
    transferring: false,
    suspensionReason: null,
    offline: null,
    expired: false,
    withheld: false,
    renewal: null,
    renewals: noRenewals,
    pendingChange: null,
    settledChanges: List(),
  };
}

export function evolveDelivery(
  state: RegisteredDomain,
  event: ZoneCreated | ZoneCreationFailed | NameserversChanged | NameserversRefused,
): RegisteredDomain {
  switch (event.type) {
    case "ZoneCreated": {
      const records: ZoneRecords = PersistentMap(
        event.data.records.map((record) => [record.recordId, record]),
      );
      return { ...state, zone: { records } };
    }
    case "ZoneCreationFailed":
      return { ...state, zoneFailed: true };
    case "NameserversChanged": {
      const { usesServiceNameservers, nameservers } = event.data;
      return { ...state, usesServiceNameservers, nameservers, delegationSettled: true };
    }
    case "NameserversRefused":
      return { ...state, nameserversRefusal: event.data.reason, delegationSettled: true };
    default:
      return assertNever(event);
  }
}
