import { deleteDomain, updateDomain, type DomainParts } from "../epp/index.ts";
import type { EppDomains } from "./epp-domains.ts";
import type { NotCarriedOut } from "./epp-outcomes.ts";
import type { RegistrarDomain } from "./registrar.port.ts";

/** A name that is to end, and what it is delegated to. */
type EndingName = Pick<RegistrarDomain, "name" | "nameservers">;

/**
 * Has the registry delete a name that we hold. One that has hosts below it is deleted after them (RFC 5731 §3.2.2).
 * @returns why it is not deleted; undefined where it is, or is taken down for it.
 */
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
  // 1001: it is taken down, and nobody uses it any more. 2303: it is gone.
  const isGone = answer.kind === "carried-out" || answer.kind === "pending" || answer.code === 2303;
  return isGone ? undefined : answer;
}

/**
 * Has the registry forget the hosts below a name, those last that the name itself is delegated to. Where one must stay, since
 * another name is delegated to it, the name is delegated again to what is left: it may be renewed yet.
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
