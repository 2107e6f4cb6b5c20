import type { FirewallRule } from "../compute.port.ts";

/** A rule as Proxmox VE lists it; the operator's own may say more than ours. */
export type ListedRule = Readonly<Record<string, string | number>>;

/** What is done next to a list of rules; positions count from 0, as Proxmox VE's do. */
export type RuleChange =
  /** At the top, which is where Proxmox VE puts every new rule. */
  | { readonly type: "insert"; readonly rule: FirewallRule; readonly enable: boolean }
  /** Before the rule that is at `moveto` now; behind the last one where none is. */
  | { readonly type: "move"; readonly pos: number; readonly moveto: number }
  | { readonly type: "enable"; readonly pos: number; readonly enable: boolean }
  | { readonly type: "remove"; readonly pos: number };

/** True for a rule of the operator's cluster that is none of ours to change: a security group, for example. */
export function isOperators({ type }: ListedRule): boolean {
  return type !== "in" && type !== "out";
}

/**
 * The next step from the rules that a machine has to those that it shall have; undefined where there is none. What comes
 * first in the target is never behind something that comes later there, not even between two steps: a new rule is
 * put in disabled, moved to its place, and enabled. What is too much goes last, so that nothing is open meanwhile.
 */
export function nextRuleChange(
  listed: readonly ListedRule[],
  target: readonly FirewallRule[],
): RuleChange | undefined {
  const place = commonStart(listed, target);
  const missing = target[place];
  if (missing === undefined)
    return listed.length > place ? { type: "remove", pos: listed.length - 1 } : undefined;
  const next = target[target.length - listed.length - 1];
  if (
    next !== undefined &&
    commonStart(listed, target.slice(-listed.length || target.length)) === listed.length
  )
    return { type: "insert", rule: next, enable: next.enable };
  const present = listed[place];
  if (present !== undefined && isSame(present, missing))
    return { type: "enable", pos: place, enable: missing.enable };
  const below = commonStart(listed.slice(1), target);
  const [top] = listed;
  const goal = target[below];
  if (place === 0 && below > 0 && top !== undefined && goal !== undefined && isSame(top, goal))
    return { type: "move", pos: 0, moveto: below + 1 };
  const later = listed.findIndex((rule, pos) => pos > place && isSame(rule, missing));
  if (later > place) return { type: "move", pos: later, moveto: place };
  return { type: "insert", rule: missing, enable: missing.enable && place === 0 };
}

/** A rule as it is sent; what is empty is left out, since it means any. */
export function ruleParameters(rule: FirewallRule, enable: boolean) {
  const { type, action, proto, dport, sport, source, dest, comment } = rule;
  const said = Object.entries({ proto, dport, sport, source, dest, comment }).filter(
    ([, value]) => value !== "",
  );
  return { type, action, enable: Number(enable), ...Object.fromEntries(said) };
}

/** A listed rule in our words. @param action one that is none of ours counts as another rule. */
export function ruleOf(listed: ListedRule): FirewallRule {
  const text = (name: string): string => String(listed[name] ?? "");
  return {
    type: text("type") === "out" ? "out" : "in",
    action: actionOf(text("action")),
    proto: text("proto"),
    dport: text("dport"),
    sport: text("sport"),
    source: text("source"),
    dest: text("dest"),
    comment: text("comment"),
    enable: isEnabled(listed),
  };
}

function actionOf(action: string): FirewallRule["action"] {
  return action === "ACCEPT" || action === "REJECT" ? action : "DROP";
}

function isEnabled({ enable }: ListedRule): boolean {
  return enable === 1 || enable === "1";
}

/** How many rules at the start are the same, enabled or not included. */
function commonStart(listed: readonly ListedRule[], target: readonly FirewallRule[]): number {
  const differing = target.findIndex((rule, index) => {
    const present = listed[index];
    return present === undefined || !isSame(present, rule) || isEnabled(present) !== rule.enable;
  });
  return differing === -1 ? target.length : differing;
}

/** Members that Proxmox VE adds to every rule of a list. */
const ofList: ReadonlySet<string> = new Set(["pos", "digest", "enable", "ipversion"]);

/** The same rule, whether it is enabled or not. */
function isSame(listed: ListedRule, rule: FirewallRule): boolean {
  const { enable: _enable, ...sent } = ruleParameters(rule, true);
  const said = Object.entries(listed).filter(([name, value]) => !ofList.has(name) && value !== "");
  const wanted = new Map(Object.entries<string>(sent));
  return (
    said.length === wanted.size && said.every(([name, value]) => wanted.get(name)?.trim() === String(value))
  );
}
