import type { OfflineBy } from "../domain/domain.commands.ts";
import type { PendingChange, RegisteredDomain } from "../domain/domain.state.ts";

/** A setup step that a new domain still needs: the customer's nameservers, or the managed zone. */
export type DomainDelivery =
  | { readonly type: "delegation"; readonly nameservers: readonly string[] }
  | { readonly type: "zone" };

/** Returns the pending change with this id; undefined if the change has ended. */
export function wantedChange(
  { pendingChange }: RegisteredDomain,
  changeId: string,
): PendingChange | undefined {
  return pendingChange?.changeId === changeId ? pendingChange : undefined;
}

/**
 * Returns the next setup step of a domain; undefined if nothing is missing or staff must look first. The nameservers come
 * before the zone, because only a domain on the service's nameservers needs a zone.
 */
export function nextDelivery(domain: RegisteredDomain): DomainDelivery | undefined {
  if (domain.delivery.status !== "open") return undefined;
  const { requestedNameservers, delegationSettled, usesServiceNameservers, zone } = domain;
  if (requestedNameservers !== null && !delegationSettled)
    return { type: "delegation", nameservers: requestedNameservers };
  return usesServiceNameservers && zone === null ? { type: "zone" } : undefined;
}

/** True as soon as the customer can be told the result of the setup. A failed zone is retried after the answer. */
export function isDeliveryKnown(domain: RegisteredDomain): boolean {
  const next = nextDelivery(domain);
  return next === undefined || (next.type === "zone" && domain.zoneFailed);
}

/** Returns the reason why the registrar did not apply the customer's nameservers at the registration. */
export function deliveryWarning(domain: RegisteredDomain): string | undefined {
  const { delivery, delegationSettled, requestedNameservers, nameserversRefusal } = domain;
  if (nameserversRefusal !== null) return nameserversRefusal;
  const isDelegating = requestedNameservers !== null && !delegationSettled;
  return delivery.status === "suspended" && isDelegating ? delivery.reason : undefined;
}

/**
 * True while the registrar must report the domain as present. An expired or leaving domain may be absent, and so may a
 * domain during a renewal or a change.
 */
export function isToBeHeld({ expired, transferring, renewal, pendingChange }: RegisteredDomain): boolean {
  return !expired && !transferring && renewal === null && pendingChange === null;
}

/**
 * Returns how the domain is kept from resolving; null if the domain shall resolve. `suspendedBy` applies to domains on
 * the service's nameservers. A domain that is offline keeps its way, even if the configuration changes later.
 */
export function wantedOffline(domain: RegisteredDomain, suspendedBy: OfflineBy): OfflineBy | null {
  // The registry already withholds the name, so nothing is asked of the registrar.
  if (domain.withheld) return domain.offline;
  if (!domain.suspended) return null;
  if (domain.offline !== null) return domain.offline;
  // On the customer's nameservers a name resolves without our zone.
  return domain.usesServiceNameservers && domain.zone !== null ? suspendedBy : "registrar";
}
