import { difference, type Difference } from "./difference.ts";
import { sameFirewall, type NodeState } from "./server.desired.ts";

/** Compares a server with its node. @param held undefined if no node has the server. */
export function serverDifferences(
  name: string,
  desired: NodeState,
  held: NodeState | undefined,
): readonly Difference[] {
  if (held === undefined)
    return [difference("server-missing", name, { expected: powerOf(desired), found: "not held" })];
  return [
    ...(desired.running === held.running
      ? []
      : [difference("server-power", name, { expected: powerOf(desired), found: powerOf(held) })]),
    ...(sameFirewall(desired.firewall, held.firewall)
      ? []
      : [difference("server-firewall", name, { expected: firewallOf(desired), found: firewallOf(held) })]),
  ];
}

/** Describes a stock unit that an order reserved and no server uses. @param place plan and region of the unit. */
export function unitDifference(place: string, orderId: string): Difference {
  return difference("stock-unit", place, {
    expected: "a server, or an order under way, for every unit that was taken",
    found: `neither for the unit of order ${orderId}`,
  });
}

function powerOf({ running }: NodeState): string {
  return running ? "running" : "stopped";
}

function firewallOf({ firewall: { enabled, rules } }: NodeState): string {
  const said = rules.map(({ type, action, proto, dport, source, enable }) =>
    [type, action, proto, dport, source, enable ? "" : "(off)"].filter((word) => word !== "").join(" "),
  );
  return `${enabled ? "on" : "off"}: ${said.length === 0 ? "no rules" : said.join("; ")}`;
}
