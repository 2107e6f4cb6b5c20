import { createHash } from "node:crypto";

/** An answer of the cluster other than data. */
export class ClusterRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A rule, or what else has members. */
export type Rule = Record<string, string | number>;

/** The parameters of a request. */
export type Said = ReadonlyMap<string, string>;

/** Names the present state, as the cluster does. */
export function digestOf(content: unknown): string {
  return createHash("sha1").update(JSON.stringify(content)).digest("hex");
}

/** @throws ClusterRefusal where it was decided on another state. */
export function refuseStale(said: Said, content: unknown): void {
  const digest = said.get("digest");
  if (digest !== undefined && digest !== digestOf(content))
    throw new ClusterRefusal(500, "detected modified configuration - file changed by other user? Try again.");
}

/** The rule that a request describes. */
export function ruleOf(said: Said): Rule {
  const { digest: _, enable, ...rule } = Object.fromEntries(said);
  return { ...rule, ...(enable === undefined ? {} : { enable: Number(enable) }) };
}

/** As `PVE::API2::Firewall::Rules` does it: a move is before the rule that is at the goal now. */
export function changedRules(rules: readonly Rule[], pos: number, said: Said): Rule[] {
  const moved = rules[pos];
  if (moved === undefined) throw new ClusterRefusal(400, "no rule at position");
  const goal = said.get("moveto");
  if (goal === undefined) return rules.map((rule, at) => (at === pos ? { ...rule, ...ruleOf(said) } : rule));
  const moveto = Number(goal);
  if (moveto === pos) return [...rules];
  const others = rules.flatMap((rule, at) => (at === pos ? [] : at === moveto ? [moved, rule] : [rule]));
  return moveto >= rules.length ? [...others, moved] : others;
}
