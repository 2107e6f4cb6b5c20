import { assertNever } from "@hostledger/core";

import type { Firewall, FirewallHolding } from "../compute.port.ts";
import { unconfiguredFirewall } from "../compute.port.ts";
import { isOperators, nextRuleChange, ruleOf, ruleParameters, type RuleChange } from "./firewall-changes.ts";
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
  throw new ProxmoxError("unknown", `The firewall of ${path} does not become as it shall be.`);
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
