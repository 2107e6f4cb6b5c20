import type { OfflineBy } from "../domain/domain.commands.ts";
import type { PendingChange, RegisteredDomain } from "../domain/domain.state.ts";

/** What a new domain still has to be given: its customer's nameservers, or the managed zone. */
export type DomainDelivery =
  | { readonly kind: "delegation"; readonly nameservers: readonly string[] }
  | { readonly kind: "zone" };

/** The change that is to be carried out under this id; undefined when it has ended. */
export function wantedChange(
  { pendingChange }: RegisteredDomain,
  changeId: string,
): PendingChange | undefined {
  return pendingChange?.changeId === changeId ? pendingChange : undefined;
}

/**
 * What a domain is to be given next; undefined when it has everything, or when staff must look first. The nameservers come
 * before the zone: only a domain on the service's needs one.
 */
export function nextDelivery(domain: RegisteredDomain): DomainDelivery | undefined {
  if (domain.delivery.status !== "open") return undefined;
  const { requestedNameservers, delegationSettled, usesServiceNameservers, zone } = domain;
  if (requestedNameservers !== null && !delegationSettled)
    return { kind: "delegation", nameservers: requestedNameservers };
  return usesServiceNameservers && zone === null ? { kind: "zone" } : undefined;
}

/** True once the customer can be told how the delivery stands: a zone that failed is tried again after the answer. */
export function isDeliveryKnown(domain: RegisteredDomain): boolean {
  const next = nextDelivery(domain);
  return next === undefined || (next.kind === "zone" && domain.zoneFailed);
}

/** Why the customer's nameservers were not applied at the registration. */
export function deliveryWarning(domain: RegisteredDomain): string | undefined {
  const { delivery, delegationSettled, requestedNameservers, nameserversRefusal } = domain;
  if (nameserversRefusal !== null) return nameserversRefusal;
  const isDelegating = requestedNameservers !== null && !delegationSettled;
  return delivery.status === "suspended" && isDelegating ? delivery.reason : undefined;
}

/**
 * True while the registrar must say, when it is asked, that it holds the domain. Of one that has expired, that leaves, or that is
 * being renewed or changed at this moment it may rightly say otherwise.
 */
export function isToBeHeld({ expired, transferring, renewal, pendingChange }: RegisteredDomain): boolean {
  return !expired && !transferring && renewal === null && pendingChange === null;
}

/**
 * How the domain is to be kept from resolving, where it is on the service's nameservers by `suspendedBy`; null when it is not. What is
 * offline stays so as it is, whatever is configured since.
 */
export function wantedOffline(domain: RegisteredDomain, suspendedBy: OfflineBy): OfflineBy | null {
  // Its registry withholds it: it does not resolve, and no registrar is asked for anything.
  if (domain.withheld) return domain.offline;
  if (!domain.suspended) return null;
  if (domain.offline !== null) return domain.offline;
  // On the customer's nameservers a name resolves without our zone.
  return domain.usesServiceNameservers && domain.zone !== null ? suspendedBy : "registrar";
}
