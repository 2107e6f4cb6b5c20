import { assertNever } from "@hostledger/core";

import {
  type Firewall,
  type FirewallHolding,
  type FirewallRule,
  unconfiguredFirewall,
} from "../compute.port.ts";
import { optionsAnswer, rulesAnswer } from "./proxmox-answers.ts";
import type { ProxmoxClient } from "./proxmox-client.ts";
import { ProxmoxError } from "./proxmox-error.ts";

/** Maximum retries after somebody else changed the rules between read and write. */
const conflictLimit = 10;

/** Maximum changes: at most four per rule, and one per rule of the operator. */
const stepLimit = 2_000;

/** Reads a machine's firewall without the operator's own rules. */
export async function readMachineFirewall(client: ProxmoxClient, path: string): Promise<FirewallHolding> {
  const rules = await client.get(`${path}/firewall/rules`, rulesAnswer);
  const options = await client.get(`${path}/firewall/options`, optionsAnswer);
  const unconfigured = unconfiguredFirewall;
  return {
    rules: rules.filter((rule) => !isOperators(rule)).map(ruleOf),
    options: {
      enable: options.enable ?? false,
      policyIn: options.policy_in ?? unconfigured.policyIn,
      policyOut: options.policy_out ?? unconfigured.policyOut,
      logLevelIn: options.log_level_in ?? unconfigured.logLevelIn,
      logLevelOut: options.log_level_out ?? unconfigured.logLevelOut,
      macfilter: options.macfilter ?? unconfigured.macfilter,
      dhcp: options.dhcp ?? unconfigured.dhcp,
      ndp: options.ndp ?? unconfigured.ndp,
      radv: options.radv ?? unconfigured.radv,
      ipfilter: options.ipfilter ?? unconfigured.ipfilter,
    },
  };
}

/** Replaces the firewall by single conditional changes; a repeat continues. The operator's rules stay at the top. */
export async function replaceMachineFirewall(
  client: ProxmoxClient,
  path: string,
  { enabled, rules }: Firewall,
): Promise<void> {
  let conflicts = 0;
  let hasChanged = false;
  for (let step = 0; step < stepLimit; step += 1) {
    try {
      if (!(await takeStep(client, path, { enabled, rules }))) return;
      hasChanged = true;
    } catch (error) {
      if (!(error instanceof ProxmoxError)) throw error;
      if (!error.message.includes("detected modified configuration") || conflicts >= conflictLimit)
        throw hasChanged ? error.afterChanges() : error;
      conflicts += 1;
    }
  }
  throw new ProxmoxError("unknown", `The firewall of ${path} does not reach the desired state.`);
}

/** @returns false if nothing had to be changed. */
async function takeStep(client: ProxmoxClient, path: string, { enabled, rules }: Firewall): Promise<boolean> {
  const listed = await client.get(`${path}/firewall/rules`, rulesAnswer);
  const digest = listed[0]?.digest;
  const own = listed.filter((rule) => !isOperators(rule));
  const offset = listed.length - own.length;
  const moveto = listed.findIndex((rule) => !isOperators(rule));
  const below = moveto === -1 ? -1 : listed.findIndex((rule, pos) => pos > moveto && isOperators(rule));
  // Moves operators' rules, such as security groups, above ours.
  if (below !== -1) {
    await client.change("PUT", `${path}/firewall/rules/${String(below)}`, { moveto, digest });
    return true;
  }
  const change = nextRuleChange(own, rules);
  if (change !== undefined) {
    await carryOut(client, `${path}/firewall/rules`, { change, offset, digest });
    return true;
  }
  const options = await client.get(`${path}/firewall/options`, optionsAnswer);
  if ((options.enable ?? false) === enabled) return false;
  const { digest: optionsDigest } = options;
  await client.change("PUT", `${path}/firewall/options`, { enable: Number(enabled), digest: optionsDigest });
  return true;
}

interface Step {
  readonly change: RuleChange;
  /** Number of the operator's rules at the top. */
  readonly offset: number;
  readonly digest: string | number | undefined;
}

async function carryOut(
  client: ProxmoxClient,
  path: string,
  { change, offset, digest }: Step,
): Promise<void> {
  const at = (pos: number): string => `${path}/${String(pos + offset)}`;
  switch (change.type) {
    case "insert":
      return client.change("POST", path, {
        // A rule inserted above the operator's rules must be disabled until it is moved.
        ...ruleParameters(change.rule, change.enable && offset === 0),
        digest,
      });
    case "move":
      return client.change("PUT", at(change.pos), { moveto: change.moveto + offset, digest });
    case "enable":
      return client.change("PUT", at(change.pos), { enable: Number(change.enable), digest });
    case "remove":
      return client.change("DELETE", at(change.pos), { digest });
    default:
      return assertNever(change);
  }
}

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
function isOperators({ type }: ListedRule): boolean {
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
function ruleOf(listed: ListedRule): FirewallRule {
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
