import type { CallOptions, Client } from "@connectrpc/connect";
import type { domain as messages } from "@hostledger/protocol";

/**
 * The id of the domain that a path names, by id or by name.
 * @throws ConnectError `not-found` or `unauthorized` for a name, as its service does for an id.
 */
export async function domainIdOf(
  domains: Pick<Client<typeof messages.DomainService>, "findDomain">,
  reference: bigint | string,
  call: CallOptions,
): Promise<bigint> {
  if (typeof reference === "bigint") return reference;
  return (await domains.findDomain({ name: reference }, call)).domainId;
}

/** The revision of the domain that a path names. @throws ConnectError as `domainIdOf` */
export async function domainRevisionOf(
  domains: Pick<Client<typeof messages.DomainService>, "findDomain" | "getDomainRevision">,
  reference: bigint | string,
  call: CallOptions,
): Promise<bigint> {
  const domainId = await domainIdOf(domains, reference, call);
  return (await domains.getDomainRevision({ domainId }, call)).revision;
}
