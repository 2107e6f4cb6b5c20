import type { RecordedFirewallRule } from "../server/server.events.ts";
import type { ServerState } from "../server/server.state.ts";

/** A firewall rule on a node, without our id. */
export type NodeRule = Omit<RecordedFirewallRule, "ruleId">;

/** The observed or desired state of a server's node. */
export interface NodeState {
  readonly running: boolean;
  readonly firewall: { readonly enabled: boolean; readonly rules: readonly NodeRule[] };
}

/** Returns the state that the node should have; undefined if the server does not exist. */
export function desiredNode(state: ServerState): NodeState | undefined {
  if (state.status !== "active" && state.status !== "suspended") return undefined;
  const { enabled, rules } = state.server.firewall;
  return { running: state.status === "active", firewall: { enabled, rules: rules.map(nodeRule) } };
}

/** Returns the first difference between the desired and the observed state; undefined if there is none. */
export function nextNodeDifference(
  desired: NodeState,
  observed: NodeState,
): "power" | "firewall" | undefined {
  if (desired.running !== observed.running) return "power";
  return sameFirewall(desired.firewall, observed.firewall) ? undefined : "firewall";
}

/** Returns the rule without our id, as it is sent to the node. */
export function nodeRule({ ruleId: _id, ...rule }: RecordedFirewallRule): NodeRule {
  return rule;
}

/** True if both firewalls have the same switch and the same rules in the same order. */
export function sameFirewall(one: NodeState["firewall"], other: NodeState["firewall"]): boolean {
  return (
    one.enabled === other.enabled &&
    one.rules.length === other.rules.length &&
    one.rules.every((rule, index) => textOf(rule) === textOf(other.rules[index]))
  );
}

function textOf(rule: NodeRule | undefined): string {
  return rule === undefined
    ? ""
    : JSON.stringify(Object.entries(rule).sort(([one], [other]) => (one < other ? -1 : 1)));
}
