import type { HostingEvent } from "@hostledger/core";

/** Returns the charge ordered in the event's stream; a log may end before its run's first event. */
export function orderedCharge(event: HostingEvent): string | undefined {
  switch (event.type) {
    case "RegistrationReserved":
      return event.data.registrationId;
    case "TransferReserved":
      return event.data.transferId;
    case "DomainRenewalStarted":
    case "ServerRenewalBegun":
      return event.data.renewalId;
    default:
      return undefined;
  }
}
