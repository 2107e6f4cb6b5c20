import type { HostingEvent } from "@hostledger/core";

/**
 * The charge that a fact orders, on the stream of what it is for. The run that makes the charge stores its first fact
 * behind it: a log may end in between.
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
