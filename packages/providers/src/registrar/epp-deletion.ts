import { deleteDomain, updateDomain, type DomainParts } from "../epp/index.ts";
import type { EppDomains } from "./epp-domains.ts";
import type { NotCarriedOut } from "./epp-outcomes.ts";
import type { RegistrarDomain } from "./registrar.port.ts";

type EndingName = Pick<RegistrarDomain, "name" | "nameservers">;

/** Deletes our domain, its hosts first (RFC 5731 §3.2.2). @returns the failure; undefined if deleted or pending */
export async function deleteAtRegistry(
  domains: EppDomains,
  ending: EndingName,
): Promise<NotCarriedOut | undefined> {
  const { name } = ending;
  const objection = await objectionToDelete(domains, name);
  if (objection?.code !== 2305) return objection;
  const below = await domains.hosts.below(name);
  if ("kind" in below) return below;
  if (below.length === 0) return objection;
  return (await removeHosts(domains, ending, below)) ?? objectionToDelete(domains, name);
}

async function objectionToDelete(domains: EppDomains, name: string): Promise<NotCarriedOut | undefined> {
  const answer = await domains.ask(deleteDomain(name));
  // 1001: pending deletion. 2303: already deleted.
  const isGone = answer.kind === "carried-out" || answer.kind === "pending" || answer.code === 2303;
  return isGone ? undefined : answer;
}

/**
 * Deletes the hosts below a domain; the domain's own nameservers last. If a host must stay because another domain uses
 * it, the domain is delegated to the remaining hosts again, because it may still be renewed.
 */
async function removeHosts(
  domains: EppDomains,
  { name, nameservers }: EndingName,
  below: readonly string[],
): Promise<NotCarriedOut | undefined> {
  const left = nameservers.filter((host) => below.includes(host));
  for (const host of below.filter((each) => !left.includes(each))) {
    const objection = await domains.hosts.remove(host);
    if (objection !== undefined) return objection;
  }
  if (left.length === 0) return undefined;
  const undelegated = await domains.ask(updateDomain({ name, remove: delegatedTo(left) }));
  if (undelegated.kind !== "carried-out") return undelegated;
  for (const [index, host] of left.entries()) {
    const objection = await domains.hosts.remove(host);
    if (objection === undefined) continue;
    await domains.ask(updateDomain({ name, add: delegatedTo(left.slice(index)) }));
    return objection;
  }
  return undefined;
}

function delegatedTo(nameservers: readonly string[]): DomainParts {
  return { delegation: { form: "objects", nameservers } };
}
