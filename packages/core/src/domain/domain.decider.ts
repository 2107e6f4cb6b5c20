import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import type { DomainCommand, RegisterDomain, ReserveRegistration } from "./domain.commands.ts";
import type { DomainNameEvent } from "./domain.events.ts";

/** The registration that has taken a name. */
export interface Reservation {
  readonly registrationId: string;
  readonly domainId: number;
  readonly accountId: number;
  readonly name: string;
  readonly years: number;
  readonly autoRenew: boolean;
}

/** A registered name. */
export interface RegisteredDomain extends Reservation {
  readonly usesServiceNameservers: boolean;
  readonly nameservers: readonly string[];
  /** Null while the managed zone does not exist. */
  readonly zone: { readonly recordCount: number } | null;
  /** True once a failed creation of the zone was recorded. */
  readonly zoneFailed: boolean;
  /** Nameservers the registrar did not take at the registration. */
  readonly refusedNameservers: readonly string[] | null;
}

/**
 * A name is free, reserved for one registration, held (its charge goes back, the registrar has not answered yet), or
 * registered.
 */
export type DomainState =
  | { readonly status: "free" }
  | { readonly status: "reserved"; readonly reservation: Reservation }
  | { readonly status: "held"; readonly reservation: Reservation }
  | { readonly status: "registered"; readonly domain: RegisteredDomain };

/** The rules of a name (stream `domain-<fqdn>`): one registration at a time, one owner, and what was set up for it. */
export const domain: Decider<DomainCommand, DomainState, DomainNameEvent> = {
  initialState: { status: "free" },
  decide,
  evolve,
};

function decide(command: DomainCommand, state: DomainState): Decision<DomainNameEvent> {
  switch (command.type) {
    case "ReserveRegistration":
      return reserve(command, state);
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
      // A registration that was confirmed cannot be taken back: its run learns so before it returns any money.
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

function reserve({ data }: ReserveRegistration, state: DomainState): Decision<DomainNameEvent> {
  if (state.status === "registered") return reject("domain-taken");
  if (state.status !== "free") {
    return state.reservation.registrationId === data.registrationId
      ? accept()
      : reject("registration-in-flight");
  }
  const { at, ...reservation } = data;
  return accept({ type: "RegistrationReserved", data: { ...reservation, reservedAt: at } });
}

function register({ data }: RegisterDomain, state: DomainState): Decision<DomainNameEvent> {
  if (holderOf(state)?.registrationId !== data.registrationId) return reject("registration-not-found");
  if (state.status === "registered") return accept();
  // Once the charge goes back the name can only be given back, never kept.
  if (state.status !== "reserved") return reject("registration-not-found");
  const { registrationId: _, ...owned } = state.reservation;
  return accept({ type: "DomainRegistered", data: { ...owned, ...data } });
}

function recordDelivery(
  command: Exclude<
    DomainCommand,
    { type: "ReserveRegistration" | "ReleaseRegistration" | "HoldRegistration" | "RegisterDomain" }
  >,
  state: RegisteredDomain,
): Decision<DomainNameEvent> {
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
      const { nameservers, at } = command.data;
      if (!state.usesServiceNameservers && sameHosts(nameservers, state.nameservers)) return accept();
      return accept({
        type: "NameserversChanged",
        data: { domainId, usesServiceNameservers: false, nameservers, changedAt: at },
      });
    }
    case "RecordNameserversRefused": {
      const { requested, reason, at } = command.data;
      if (state.refusedNameservers !== null && sameHosts(requested, state.refusedNameservers))
        return accept();
      return accept({ type: "NameserversRefused", data: { domainId, requested, reason, refusedAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function evolve(state: DomainState, event: DomainNameEvent): DomainState {
  switch (event.type) {
    case "RegistrationReserved": {
      if (state.status !== "free") throw new CorruptStreamError(event.type, state.status);
      const { registrationId, domainId, accountId, name, years, autoRenew } = event.data;
      return {
        status: "reserved",
        reservation: { registrationId, domainId, accountId, name, years, autoRenew },
      };
    }
    case "RegistrationReleased": {
      if (state.status !== "reserved" && state.status !== "held")
        throw new CorruptStreamError(event.type, state.status);
      return { status: "free" };
    }
    case "RegistrationHeld": {
      if (state.status !== "reserved") throw new CorruptStreamError(event.type, state.status);
      return { status: "held", reservation: state.reservation };
    }
    case "DomainRegistered": {
      if (state.status !== "reserved") throw new CorruptStreamError(event.type, state.status);
      const { nameservers } = event.data;
      return {
        status: "registered",
        domain: {
          ...state.reservation,
          usesServiceNameservers: true,
          nameservers,
          zone: null,
          zoneFailed: false,
          refusedNameservers: null,
        },
      };
    }
    default: {
      if (state.status !== "registered") throw new CorruptStreamError(event.type, state.status);
      return { status: "registered", domain: evolveRegistered(state.domain, event) };
    }
  }
}

function evolveRegistered(
  state: RegisteredDomain,
  event: Extract<
    DomainNameEvent,
    { type: "ZoneCreated" | "ZoneCreationFailed" | "NameserversChanged" | "NameserversRefused" }
  >,
): RegisteredDomain {
  switch (event.type) {
    case "ZoneCreated":
      return { ...state, zone: { recordCount: event.data.records.length } };
    case "ZoneCreationFailed":
      return { ...state, zoneFailed: true };
    case "NameserversChanged": {
      const { usesServiceNameservers, nameservers } = event.data;
      return { ...state, usesServiceNameservers, nameservers };
    }
    case "NameserversRefused":
      return { ...state, refusedNameservers: event.data.requested };
    default:
      return assertNever(event);
  }
}

function holderOf(state: DomainState): Reservation | undefined {
  if (state.status === "free") return undefined;
  return state.status === "registered" ? state.domain : state.reservation;
}

function sameHosts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((host, index) => host === right[index]);
}
