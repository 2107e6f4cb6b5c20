import type { CallOptions, Client } from "@connectrpc/connect";
import type { domain as messages } from "@hostledger/protocol";

/** Returns the domain id for a path's id or name. @throws ConnectError `not-found`, `unauthorized` */
export async function domainIdOf(
  domains: Pick<Client<typeof messages.DomainService>, "findDomain">,
  reference: bigint | string,
  call: CallOptions,
): Promise<bigint> {
  if (typeof reference === "bigint") return reference;
  return (await domains.findDomain({ name: reference }, call)).domainId;
}

/** Returns the revision of the domain in a path. @throws ConnectError like `domainIdOf` */
export async function domainRevisionOf(
  domains: Pick<Client<typeof messages.DomainService>, "findDomain" | "getDomainRevision">,
  reference: bigint | string,
  call: CallOptions,
): Promise<bigint> {
  const domainId = await domainIdOf(domains, reference, call);
  return (await domains.getDomainRevision({ domainId }, call)).revision;
}
