import { createHash } from "node:crypto";

export class ClusterRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Rule = Record<string, string | number>;

export type Said = ReadonlyMap<string, string>;

/** Returns a digest of the present state, like the cluster. */
export function digestOf(content: unknown): string {
  return createHash("sha1").update(JSON.stringify(content)).digest("hex");
}

/** @throws ClusterRefusal if the request's digest is outdated */
export function refuseStale(said: Said, content: unknown): void {
  const digest = said.get("digest");
  if (digest !== undefined && digest !== digestOf(content))
    throw new ClusterRefusal(500, "detected modified configuration - file changed by other user? Try again.");
}

export function ruleOf(said: Said): Rule {
  const { digest: _, enable, ...rule } = Object.fromEntries(said);
  return { ...rule, ...(enable === undefined ? {} : { enable: Number(enable) }) };
}

/** Changes rules like `PVE::API2::Firewall::Rules`: a move goes before the rule now at the target. */
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
