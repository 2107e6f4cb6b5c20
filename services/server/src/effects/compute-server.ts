import {
  initialFirewallRules,
  nodeRule,
  partOfOrder,
  type NamedInstallation,
  type ServerOrder,
} from "@hostledger/core";
import type { Installation } from "@hostledger/store";
import type { ServerOrder as ComputeOrder } from "@hostledger/providers";

/**
 * Returns a server's name at the compute provider. Names contain the installation's part, except servers ordered by
 * earlier versions. A test copy uses its own part for all servers, so that it never finds a machine of the original.
 */
export async function computeName(
  installation: Installation,
  { serverId, orderId }: Pick<ServerOrder, "serverId" | "orderId">,
): Promise<string> {
  const { part, isCopy } = await installation.named();
  const isPlain = partOfOrder(orderId) === undefined && !isCopy;
  return isPlain ? `server-${String(serverId)}` : `server-${part}-${String(serverId)}`;
}

/** Returns the server id in a name of {@link computeName}; undefined for other names. */
export function serverIdOf({ part }: NamedInstallation, name: string): number | undefined {
  const [, of = part, digits = ""] = /^server-(?:([a-z][a-z0-9]{5})-)?([1-9]\d{0,14})$/.exec(name) ?? [];
  return digits === "" || of !== part ? undefined : Number(digits);
}

/** Returns true if a machine belongs to another installation at the provider. */
export function isOfOthers({ part }: NamedInstallation, name: string): boolean {
  const [, of] = /^server-([a-z][a-z0-9]{5})-[1-9]\d{0,14}$/.exec(name) ?? [];
  return of !== undefined && of !== part;
}

/** Returns the compute provider's order, equal for every repeat. */
export async function computeOrder(installation: Installation, order: ServerOrder): Promise<ComputeOrder> {
  const { planTitle: title, cores, memoryGb, storageGb, regionCode: region, distro, sshKey } = order;
  return {
    name: await computeName(installation, order),
    plan: { title, cores, memoryGb, storageGb },
    region,
    distro,
    sshKey,
    firewall: { enabled: true, rules: initialFirewallRules(order.orderId).map(nodeRule) },
  };
}
