import { accept, reject, type Decision } from "../kernel/decider.ts";
import { lifeCycleDates } from "../pricing/extension-life-cycle.ts";
import type { DeleteDomain, WithholdDomain } from "./domain.commands.ts";
import type { DomainDeleted, DomainWithheld } from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Rules of an expired domain: withheld after the days of grace, deleted at the end. Work in progress ends first. */
export function decideEnd(
  { type, data: { at, lifeCycle } }: WithholdDomain | DeleteDomain,
  { domainId, accountId, name, expiresAt, ...domain }: RegisteredDomain,
): Decision<DomainWithheld | DomainDeleted> {
  if (domain.renewal !== null) return reject("renewal-in-flight");
  if (domain.pendingChange !== null) return reject("change-in-flight");
  if (!domain.expired) return reject("domain-not-active", "The domain has not expired.");
  if (domain.transferring)
    return reject("domain-not-active", "The domain is on its way to another registrar.");
  const { holdBeginsAt, deletesAt } = lifeCycleDates(expiresAt, lifeCycle);
  const about = { domainId, accountId, name, expiresAt };
  if (type === "DeleteDomain")
    return at < deletesAt
      ? reject("domain-not-active", "The domain can still be had back.")
      : accept({ type: "DomainDeleted", data: { ...about, deletedAt: at } });
  if (domain.withheld) return accept();
  return at <= holdBeginsAt
    ? reject("domain-not-active", "The domain can still be renewed.")
    : accept({ type: "DomainWithheld", data: { ...about, withheldAt: at } });
}
