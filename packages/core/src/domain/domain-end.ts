import { accept, reject, type Decision } from "../kernel/decider.ts";
import { lifeCycleDates } from "../pricing/extension-life-cycle.ts";
import type { DeleteDomain } from "./domain.commands.ts";
import type { DomainDeleted } from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** A name that nobody renewed ends when its extension's time is over, and never while work on it is in progress. */
export function decideDeletion(
  { data: { at, lifeCycle } }: DeleteDomain,
  { domainId, accountId, name, expiresAt, ...domain }: RegisteredDomain,
): Decision<DomainDeleted> {
  if (domain.renewal !== null) return reject("renewal-in-flight");
  if (domain.pendingChange !== null) return reject("change-in-flight");
  if (!domain.expired) return reject("domain-not-active", "The domain has not expired.");
  if (domain.transferring)
    return reject("domain-not-active", "The domain is on its way to another registrar.");
  if (at < lifeCycleDates(expiresAt, lifeCycle).deletesAt)
    return reject("domain-not-active", "The domain can still be had back.");
  return accept({ type: "DomainDeleted", data: { domainId, accountId, name, expiresAt, deletedAt: at } });
}
