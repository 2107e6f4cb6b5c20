import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, type Decision } from "../kernel/decider.ts";
import type { DomainStatusCommand } from "./domain.commands.ts";
import type { DomainStatusEvent } from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Staff's word on a domain. It may be said again, and a change or a renewal under way goes on undisturbed. */
export function decideStatus(
  { type, data }: DomainStatusCommand,
  { domainId, suspended, transferring }: RegisteredDomain,
): Decision<DomainStatusEvent> {
  const { at } = data;
  switch (type) {
    case "SetDomainSuspension":
      if (data.suspended === suspended) return accept();
      return data.suspended
        ? accept({ type: "DomainSuspended", data: { domainId, suspendedAt: at } })
        : accept({ type: "DomainUnsuspended", data: { domainId, unsuspendedAt: at } });
    case "SetDomainTransfer":
      if (data.transferring === transferring) return accept();
      return data.transferring
        ? accept({ type: "DomainTransferStarted", data: { domainId, startedAt: at } })
        : accept({ type: "DomainTransferEnded", data: { domainId, endedAt: at } });
    default:
      return assertNever(type);
  }
}

/** What staff's word makes of a domain. @throws CorruptStreamError where it was so already. */
export function evolveStatus(state: RegisteredDomain, event: DomainStatusEvent): RegisteredDomain {
  switch (event.type) {
    case "DomainSuspended":
    case "DomainUnsuspended": {
      const suspended = event.type === "DomainSuspended";
      if (state.suspended === suspended) throw new CorruptStreamError(event.type, String(suspended));
      return { ...state, suspended };
    }
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
