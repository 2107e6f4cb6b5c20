import { describe, expect, it } from "vitest";

import { server } from "../server/server.decider.ts";
import type { ServerEvent } from "../server/server.events.ts";
import { histories } from "../server/server.fixture.ts";
import { desiredNode, nextNodeDifference, type NodeState } from "./server.desired.ts";

const desiredAfter = (history: readonly ServerEvent[]): NodeState | undefined =>
  desiredNode(history.reduce(server.evolve, server.initialState));

function active(): NodeState {
  const node = desiredAfter(histories.active);
  if (node === undefined) throw new Error("an active server has a node");
  return node;
}

describe("the desired state of a node", () => {
  it("is undefined before the server exists", () => {
    for (const status of ["absent", "ordered", "failed"] as const)
      expect(desiredAfter(histories[status])).toBeUndefined();
  });

  it("runs an active server and stops a suspended one; the firewall stays", () => {
    expect(active().running).toBe(true);
    expect(desiredAfter(histories.suspended)).toEqual({ ...active(), running: false });
    expect(active().firewall.rules.every((rule) => !("ruleId" in rule))).toBe(true);
  });
});

describe("the difference between desired and observed node", () => {
  it("is undefined if both are equal", () => {
    expect(nextNodeDifference(active(), active())).toBeUndefined();
  });

  it("is the power first, then the firewall", () => {
    const node = active();
    const other = { ...node, firewall: { ...node.firewall, enabled: !node.firewall.enabled } };
    expect(nextNodeDifference(node, { ...other, running: false })).toBe("power");
    expect(nextNodeDifference(node, other)).toBe("firewall");
  });

  it("is a rule that has another value, another place, or is missing", () => {
    const node = active();
    const [first, second] = node.firewall.rules;
    if (first === undefined || second === undefined) throw new Error("a new server has two rules");
    for (const rules of [[second, first], [first], [first, { ...second, enable: !second.enable }]])
      expect(nextNodeDifference(node, { ...node, firewall: { ...node.firewall, rules } })).toBe("firewall");
    const reordered = Object.fromEntries(Object.entries(first).toReversed());
    expect(Object.keys(reordered)).not.toEqual(Object.keys(first));
    const same = { ...node.firewall, rules: [{ ...first, ...reordered }, second] };
    expect(nextNodeDifference(node, { ...node, firewall: same })).toBeUndefined();
  });
});
