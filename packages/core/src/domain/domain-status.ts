import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, type Decision } from "../kernel/decider.ts";
import type { DomainStatusCommand } from "./domain.commands.ts";
import type { DomainStatusEvent } from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Rules of staff's decisions about a domain. They do not stop changes and renewals in progress. */
export function decideStatus(
  { type, data }: DomainStatusCommand,
  { domainId, suspended, suspensionReason, offline, transferring }: RegisteredDomain,
): Decision<DomainStatusEvent> {
  const { at } = data;
  switch (type) {
    case "SetDomainSuspension": {
      const { staffReason = null } = data;
      const isNews = data.suspended && staffReason !== null && staffReason !== suspensionReason;
      if (data.suspended === suspended && !isNews) return accept();
      return data.suspended
        ? accept({ type: "DomainSuspended", data: { domainId, staffReason, suspendedAt: at } })
        : accept({ type: "DomainUnsuspended", data: { domainId, unsuspendedAt: at } });
    }
    case "RecordOffline": {
      const { offline: by } = data;
      if (by === offline) return accept();
      return by === null
        ? accept({ type: "DomainBroughtOnline", data: { domainId, broughtOnlineAt: at } })
        : accept({ type: "DomainTakenOffline", data: { domainId, by, takenOfflineAt: at } });
    }
    case "SetDomainTransfer":
      if (data.transferring === transferring) return accept();
      return data.transferring
        ? accept({ type: "DomainTransferStarted", data: { domainId, startedAt: at } })
        : accept({ type: "DomainTransferEnded", data: { domainId, endedAt: at } });
    default:
      return assertNever(type);
  }
}

/** Applies a decision of staff to a domain. @throws CorruptStreamError if the domain already has that status. */
export function evolveStatus(state: RegisteredDomain, event: DomainStatusEvent): RegisteredDomain {
  switch (event.type) {
    case "DomainSuspended": {
      const { staffReason } = event.data;
      if (state.suspended && (staffReason === null || staffReason === state.suspensionReason))
        throw new CorruptStreamError(event.type, "suspended");
      return { ...state, suspended: true, suspensionReason: staffReason };
    }
    case "DomainUnsuspended":
      if (!state.suspended) throw new CorruptStreamError(event.type, "not suspended");
      return { ...state, suspended: false, suspensionReason: null };
    case "DomainTakenOffline":
      return { ...state, offline: event.data.by };
    case "DomainBroughtOnline":
      if (state.offline === null) throw new CorruptStreamError(event.type, "online");
      return { ...state, offline: null };
    case "DomainTransferStarted":
    case "DomainTransferEnded": {
      const transferring = event.type === "DomainTransferStarted";
      if (state.transferring === transferring) throw new CorruptStreamError(event.type, String(transferring));
      return { ...state, transferring };
    }
    default:
      return assertNever(event);
  }
}
