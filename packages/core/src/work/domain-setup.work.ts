import { nextDelivery, type DomainDelivery } from "../desired/domain.desired.ts";
import type { PendingChange, RegisteredDomain } from "../domain/domain.state.ts";
import { doIfAny, type Next } from "./next.ts";

/** Decides the next setup step of a new domain: the customer's nameservers, or the managed zone. */
export function nextOfDomainDelivery(domain: RegisteredDomain): Next<DomainDelivery> {
  return doIfAny(nextDelivery(domain));
}

export interface DomainChangeEffect extends PendingChange {
  readonly type: "carry-out";
}

/** Decides whether a provider must be asked for the change of a domain that is in progress. */
export function nextOfDomainChange({ pendingChange }: RegisteredDomain): Next<DomainChangeEffect> {
  return doIfAny(pendingChange === null ? undefined : { type: "carry-out", ...pendingChange });
}
