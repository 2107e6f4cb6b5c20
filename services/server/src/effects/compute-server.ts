import {
  initialFirewallRules,
  nodeRule,
  partOfOrder,
  type NamedInstallation,
  type ServerOrder,
} from "@hostledger/core";
import type { Installation } from "@hostledger/event-store";
import type { ServerOrder as ComputeOrder } from "@hostledger/providers";

/**
 * The name under which the compute provider holds a server: each server has one order, so that it names the order too. Servers
 * that an earlier version ordered have a name without the installation's part. A test copy calls all servers by its own part, so that
 * it finds no machine of the original.
 */
export async function computeName(
  installation: Installation,
  { serverId, orderId }: Pick<ServerOrder, "serverId" | "orderId">,
): Promise<string> {
  const { part, isCopy } = await installation.named();
  const isPlain = partOfOrder(orderId) === undefined && !isCopy;
  return isPlain ? `server-${String(serverId)}` : `server-${part}-${String(serverId)}`;
}

/** The server of a name that {@link computeName} gives here; undefined for any other name. */
export function serverIdOf({ part }: NamedInstallation, name: string): number | undefined {
  const [, of = part, digits = ""] = /^server-(?:([a-z][a-z0-9]{5})-)?([1-9]\d{0,14})$/.exec(name) ?? [];
  return digits === "" || of !== part ? undefined : Number(digits);
}

/** Whether a machine is that of another installation at the same provider. */
export function isOfOthers({ part }: NamedInstallation, name: string): boolean {
  const [, of] = /^server-([a-z][a-z0-9]{5})-[1-9]\d{0,14}$/.exec(name) ?? [];
  return of !== undefined && of !== part;
}

/** An order as the compute provider is given it: the same for every repeat. */
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
