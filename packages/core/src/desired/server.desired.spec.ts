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

describe("what a node shall do", () => {
  it("is nothing before there is a server", () => {
    for (const status of ["absent", "ordered", "failed"] as const)
      expect(desiredAfter(histories[status])).toBeUndefined();
  });

  it("is to run an active server, and to stop a suspended one; the firewall stays", () => {
    expect(active().running).toBe(true);
    expect(desiredAfter(histories.suspended)).toEqual({ ...active(), running: false });
    expect(active().firewall.rules.every((rule) => !("ruleId" in rule))).toBe(true);
  });
});

describe("what differs", () => {
  it("is nothing between equals", () => {
    expect(nextNodeDifference(active(), active())).toBeUndefined();
  });

  it("is the power first, then the firewall", () => {
    const node = active();
    const other = { ...node, firewall: { ...node.firewall, enabled: !node.firewall.enabled } };
    expect(nextNodeDifference(node, { ...other, running: false })).toBe("power");
    expect(nextNodeDifference(node, other)).toBe("firewall");
  });

  it("is a rule that differs in one word, in its place, or that is missing", () => {
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
