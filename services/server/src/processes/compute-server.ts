import {
  initialFirewallRules,
  type RecordedFirewallRule,
  type ServerOrder,
  type ServerState,
} from "@hostledger/core";
import type { Firewall, FirewallRule, ServerOrder as ComputeOrder } from "@hostledger/providers";

/** The name under which the compute party holds a server: each server has one order, so that it names the order too. */
export function computeName(serverId: number): string {
  return `server-${String(serverId)}`;
}

/** An order as the compute party is given it: the same for every repeat. */
export function computeOrder(order: ServerOrder): ComputeOrder {
  const { planTitle: title, cores, memoryGb, storageGb, regionCode: region, distro, sshKey } = order;
  return {
    name: computeName(order.serverId),
    plan: { title, cores, memoryGb, storageGb },
    region,
    distro,
    sshKey,
    firewall: { enabled: true, rules: initialFirewallRules(order.orderId).map(ruleOf) },
  };
}

/** What the node shall do for a server. */
export interface NodeTarget {
  readonly running: boolean;
  readonly firewall: Firewall;
}

/** What the node shall do, by the facts; undefined while there is no server. */
export function nodeTarget(state: ServerState): NodeTarget | undefined {
  if (state.status !== "active" && state.status !== "suspended") return undefined;
  const { enabled, rules } = state.server.firewall;
  return { running: state.status === "active", firewall: { enabled, rules: rules.map(ruleOf) } };
}

function ruleOf({ ruleId: _id, ...rule }: RecordedFirewallRule): FirewallRule {
  return rule;
}

/** True when both are on or off and have the same rules in the same order. */
export function sameFirewall(one: Firewall, other: Firewall): boolean {
  return (
    one.enabled === other.enabled &&
    one.rules.length === other.rules.length &&
    one.rules.every((rule, index) => textOf(rule) === textOf(other.rules[index]))
  );
}

function textOf(rule: FirewallRule | undefined): string {
  return rule === undefined
    ? ""
    : JSON.stringify(Object.entries(rule).sort(([one], [other]) => (one < other ? -1 : 1)));
}
