import type { RegistryDomain } from "../../sandbox/sandbox-registry.ts";
import type { CommandContext } from "./command.ts";
import { isUnread } from "./labels.ts";
import { EppRefusal } from "./result-codes.ts";

/** Returns the domain of a name, if held. @throws EppRefusal 2400 while an order's outcome is simulated as unknown */
export function domainIfThere({ registry, atMs }: CommandContext, name: string): RegistryDomain | undefined {
  const domain = registry.domain(name);
  if (domain !== undefined && domain.settlesAtMs > atMs)
    throw new EppRefusal(2400, "The registry does not know what became of an order for this name.");
  if (domain !== undefined && isUnread(name, domain.registeredAt, atMs))
    throw new EppRefusal(2400, "The registry answers nothing about this name yet.");
  return domain;
}

/** Returns the registrar's own domain. @throws EppRefusal 2303, 2201 for another registrar's, 2400 */
export function ownDomain(context: CommandContext, name: string): RegistryDomain {
  const domain = domainIfThere(context, name);
  if (domain === undefined) throw new EppRefusal(2303, `Nobody holds ${name}.`);
  if (domain.sponsor !== context.registrar) throw new EppRefusal(2201, `Another registrar holds ${name}.`);
  return domain;
}

/** Statuses that a registrar can set (RFC 5731 §2.3). */
export const clientStatuses: ReadonlySet<string> = new Set([
  "clientDeleteProhibited",
  "clientHold",
  "clientRenewProhibited",
  "clientTransferProhibited",
  "clientUpdateProhibited",
]);

export function statusesOf({ registry, atMs }: CommandContext, domain: RegistryDomain): readonly string[] {
  const { details, transferLock, nameservers, name } = domain;
  const pending = pendingOf(domain, atMs);
  const statuses = [
    ...details.statuses,
    ...(transferLock ? ["clientTransferProhibited"] : []),
    ...(details.deletedAtMs === undefined ? [] : ["pendingDelete"]),
    ...(pending === undefined ? [] : [pending]),
    ...(registry.transferOf(name)?.isPending === true ? ["pendingTransfer"] : []),
    ...(nameservers.length === 0 ? ["inactive"] : []),
  ];
  return statuses.length === 0 ? ["ok"] : statuses;
}

function pendingOf({ details: { pending } }: RegistryDomain, atMs: number): string | undefined {
  return pending !== undefined && pending.untilMs > atMs ? pending.kind : undefined;
}

/** Returns the expiry in force; the earlier date while a renewal is pending. */
export function expiryOf({ details: { pending }, expiresAt }: RegistryDomain, atMs: number): string {
  return pending?.kind === "pendingRenew" && pending.untilMs > atMs ? pending.expiresAt : expiresAt;
}

/** @throws EppRefusal 2304 if a status or a pending action prohibits the command */
export function refuseProhibited(
  context: CommandContext,
  domain: RegistryDomain,
  ...prohibiting: readonly string[]
): void {
  const pending = ["pendingCreate", "pendingDelete", "pendingRenew", "pendingTransfer"];
  const status = statusesOf(context, domain).find((set) => [...pending, ...prohibiting].includes(set));
  if (status !== undefined) throw new EppRefusal(2304, `${domain.name} has the status ${status}.`);
}
