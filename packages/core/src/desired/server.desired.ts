import type { RecordedFirewallRule } from "../server/server.events.ts";
import type { ServerState } from "../server/server.state.ts";

/** A rule as a node has it: it does not know our ids. */
export type NodeRule = Omit<RecordedFirewallRule, "ruleId">;

/** What a node does for a server, or shall do. */
export interface NodeState {
  readonly running: boolean;
  readonly firewall: { readonly enabled: boolean; readonly rules: readonly NodeRule[] };
}

/** What the node shall do, by the facts; undefined while there is no server. */
export function desiredNode(state: ServerState): NodeState | undefined {
  if (state.status !== "active" && state.status !== "suspended") return undefined;
  const { enabled, rules } = state.server.firewall;
  return { running: state.status === "active", firewall: { enabled, rules: rules.map(nodeRule) } };
}

/** What differs first between what a node shall do and what it does; undefined where nothing does. */
export function nextNodeDifference(
  desired: NodeState,
  observed: NodeState,
): "power" | "firewall" | undefined {
  if (desired.running !== observed.running) return "power";
  return sameFirewall(desired.firewall, observed.firewall) ? undefined : "firewall";
}

/** The rule as the node is given it. */
export function nodeRule({ ruleId: _id, ...rule }: RecordedFirewallRule): NodeRule {
  return rule;
}

/** True when both are on or off and have the same rules in the same order. */
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
