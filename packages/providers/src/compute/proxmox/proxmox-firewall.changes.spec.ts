import { describe, expect, it } from "vitest";

import type { FirewallRule } from "../compute.port.ts";
import { type ListedRule, nextRuleChange, type RuleChange, ruleParameters } from "./proxmox-firewall.ts";

const rule = (comment: string, enable = true): FirewallRule => ({
  type: "in",
  action: "DROP",
  proto: "tcp",
  dport: "22",
  sport: "",
  source: "",
  dest: "",
  comment,
  enable,
});
/** Creates rules from letters; a lower-case letter is a disabled rule. */
const rules = (letters: string): FirewallRule[] =>
  Array.from(letters, (letter) => rule(letter.toUpperCase(), letter === letter.toUpperCase()));
const listed = (letters: string): ListedRule[] =>
  rules(letters).map((one, pos) => ({ ...ruleParameters(one, one.enable), pos, digest: "d" }));
const lettersOf = (list: readonly ListedRule[]): string =>
  list
    .map(({ comment = "", enable }) => (enable === 1 ? String(comment) : String(comment).toLowerCase()))
    .join("");

/** Applies a change like Proxmox VE. */
function after(list: readonly ListedRule[], change: RuleChange): ListedRule[] {
  switch (change.type) {
    case "insert":
      return [ruleParameters(change.rule, change.enable), ...list];
    case "enable":
      return list.map((one, at) => (at === change.pos ? { ...one, enable: Number(change.enable) } : one));
    case "remove":
      return list.filter((_, at) => at !== change.pos);
    case "move": {
      const moved = list.filter((_, at) => at === change.pos);
      const before = list.filter((_, at) => at < change.moveto && at !== change.pos);
      return [...before, ...moved, ...list.filter((_, at) => at >= change.moveto && at !== change.pos)];
    }
  }
}

function way(from: string, to: string): string[] {
  const lists = [listed(from)];
  for (let step = 0; step < 200; step += 1) {
    const present = lists.at(-1) ?? [];
    const change = nextRuleChange(present, rules(to));
    if (change === undefined) return lists.map(lettersOf);
    lists.push(after(present, change));
  }
  throw new Error(`from ${from} to ${to} there is no end: ${lists.slice(-4).map(lettersOf).join(" ")}`);
}

/** Every list of up to four rules, some equal. */
const lists = ["A", "B", "b", "C"].reduce(
  (all) => [...new Set([...all, ...all.flatMap((list) => ["A", "B", "b", "C"].map((one) => list + one))])],
  [""],
);

describe("the way from the rules there are to those there shall be", () => {
  it("comes to an end, from every list to every other", () => {
    const upTo = (most: number) => lists.filter(({ length }) => length <= most);
    for (const from of upTo(2)) for (const to of upTo(3)) expect(way(from, to).at(-1)).toBe(to);
    for (const list of lists) expect(way("PQ", list).at(-1)).toBe(list);
  });

  it("takes a step for each rule if there are none yet", () => {
    expect(way("", "ABCD")).toEqual(["", "D", "CD", "BCD", "ABCD"]);
  });

  it("never has a new rule in force before the provider's own, which come first", () => {
    expect(way("PQ", "PQA")).toEqual(["PQ", "aPQ", "PQa", "PQA"]);
    expect(way("PQAB", "PQCB")).toEqual(["PQAB", "cPQAB", "PQcAB", "PQCAB", "PQCBA", "PQCB"]);
  });

  it("replaces a rule that was changed by hand", () => {
    const [changed = {}] = listed("A");
    expect(nextRuleChange([{ ...changed, macro: "SSH" }], rules("A"))).toMatchObject({ type: "insert" });
    expect(nextRuleChange([changed], rules("A"))).toBeUndefined();
  });
});
