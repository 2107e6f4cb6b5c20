import type { DomainStatusEvent } from "./domain.events.ts";

/** Examples of staff's decisions about domain 3, for specs. */

const at = "2026-05-01T10:00:00.000000Z";

export const statusEvents = {
  DomainSuspended: { type: "DomainSuspended", data: { domainId: 3, staffReason: null, suspendedAt: at } },
  DomainUnsuspended: { type: "DomainUnsuspended", data: { domainId: 3, unsuspendedAt: at } },
  DomainTakenOffline: {
    type: "DomainTakenOffline",
    data: { domainId: 3, by: "registrar", takenOfflineAt: at },
  },
  DomainBroughtOnline: { type: "DomainBroughtOnline", data: { domainId: 3, broughtOnlineAt: at } },
  DomainTransferStarted: { type: "DomainTransferStarted", data: { domainId: 3, startedAt: at } },
  DomainTransferEnded: { type: "DomainTransferEnded", data: { domainId: 3, endedAt: at } },
} as const satisfies Readonly<Record<DomainStatusEvent["type"], DomainStatusEvent>>;
