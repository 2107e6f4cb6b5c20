import type { HostingEvent } from "@hostledger/core";

/**
 * Returns the charge that an event orders in its subject's stream. The charging run stores its first event later, so a
 * log may end in between.
 */
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
