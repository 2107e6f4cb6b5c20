import type { FirewallRule } from "../compute.port.ts";

/** A rule as listed by Proxmox VE; operators' rules may have further fields. */
export type ListedRule = Readonly<Record<string, string | number>>;

/** Next change of a list of rules; positions count from 0. */
export type RuleChange =
  /** Inserts at the top, where Proxmox VE puts new rules. */
  | { readonly type: "insert"; readonly rule: FirewallRule; readonly enable: boolean }
  /** Moves before the rule at `moveto`, or to the end if there is none. */
  | { readonly type: "move"; readonly pos: number; readonly moveto: number }
  | { readonly type: "enable"; readonly pos: number; readonly enable: boolean }
  | { readonly type: "remove"; readonly pos: number };

/** Returns true for a rule of the operator, such as a security group, which must not be changed. */
export function isOperators({ type }: ListedRule): boolean {
  return type !== "in" && type !== "out";
}

/**
 * Returns the next change from the present to the desired rules; undefined if equal. In every intermediate list, rules
 * keep the order of the desired list: a new rule is inserted disabled, moved, then enabled. Surplus rules are removed
 * last, so that no port is open meanwhile.
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

/** Returns the parameters of a rule; empty fields are omitted, because they mean any. */
export function ruleParameters(rule: FirewallRule, enable: boolean) {
  const { type, action, proto, dport, sport, source, dest, comment } = rule;
  const said = Object.entries({ proto, dport, sport, source, dest, comment }).filter(
    ([, value]) => value !== "",
  );
  return { type, action, enable: Number(enable), ...Object.fromEntries(said) };
}

/** Converts a listed rule. @param action an unknown action makes a different rule */
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

/** Returns the number of equal rules at the start, including their enabled flags. */
function commonStart(listed: readonly ListedRule[], target: readonly FirewallRule[]): number {
  const differing = target.findIndex((rule, index) => {
    const present = listed[index];
    return present === undefined || !isSame(present, rule) || isEnabled(present) !== rule.enable;
  });
  return differing === -1 ? target.length : differing;
}

/** Fields that Proxmox VE adds to listed rules. */
const ofList: ReadonlySet<string> = new Set(["pos", "digest", "enable", "ipversion"]);

/** Returns true if the rules are equal, ignoring whether they are enabled. */
function isSame(listed: ListedRule, rule: FirewallRule): boolean {
  const { enable: _enable, ...sent } = ruleParameters(rule, true);
  const said = Object.entries(listed).filter(([name, value]) => !ofList.has(name) && value !== "");
  const wanted = new Map(Object.entries<string>(sent));
  return (
    said.length === wanted.size && said.every(([name, value]) => wanted.get(name)?.trim() === String(value))
  );
}
