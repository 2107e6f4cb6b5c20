import { initialFirewallRules, nodeRule, type ServerOrder } from "@hostledger/core";
import type { ServerOrder as ComputeOrder } from "@hostledger/providers";

/** The name under which the compute provider holds a server: each server has one order, so that it names the order too. */
export function computeName(serverId: number): string {
  return `server-${String(serverId)}`;
}

/** The server of a name that {@link computeName} gave; undefined for any other name. */
export function serverIdOf(name: string): number | undefined {
  const [, digits = ""] = /^server-([1-9]\d{0,14})$/.exec(name) ?? [];
  return digits === "" ? undefined : Number(digits);
}

/** An order as the compute provider is given it: the same for every repeat. */
export function computeOrder(order: ServerOrder): ComputeOrder {
  const { planTitle: title, cores, memoryGb, storageGb, regionCode: region, distro, sshKey } = order;
  return {
    name: computeName(order.serverId),
    plan: { title, cores, memoryGb, storageGb },
    region,
    distro,
    sshKey,
    firewall: { enabled: true, rules: initialFirewallRules(order.orderId).map(nodeRule) },
  };
}
