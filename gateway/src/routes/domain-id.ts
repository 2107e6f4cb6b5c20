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
