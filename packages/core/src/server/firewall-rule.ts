import { z } from "zod";

import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost, isLine } from "../kernel/values.ts";
import type { RecordedFirewallRule } from "./server.events.ts";

/** A requested rule in Proxmox VE's terms; an empty or missing text matches anything. */
export interface RequestedFirewallRule {
  readonly action: string;
  readonly type: string;
  readonly proto?: string | undefined;
  readonly dport?: string | undefined;
  readonly sport?: string | undefined;
  readonly source?: string | undefined;
  readonly dest?: string | undefined;
  readonly comment?: string | undefined;
  /** Missing means enabled. */
  readonly enable?: boolean | undefined;
}

export type FirewallRuleFields = Omit<RecordedFirewallRule, "ruleId">;

/** Limits of a rule: a port list of `xt_multiport` has at most 15 numbers, and a range takes two. */
export const firewallRuleLimits = { comment: 255, portNumbers: 15 } as const;

const actions = ["ACCEPT", "DROP", "REJECT"] as const;
const directions = ["in", "out"] as const;
const protocols: ReadonlySet<string> = new Set(["", "tcp", "udp", "icmp", "ipv6-icmp"]);
const protocolsWithPorts: ReadonlySet<string> = new Set(["tcp", "udp"]);
const addressPattern = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Reads every field of a rule; each field has its own error. */
export function parseFirewallRule(rule: RequestedFirewallRule): {
  readonly [Field in keyof FirewallRuleFields]: Parsed<FirewallRuleFields[Field]>;
} {
  const proto = rule.proto ?? "";
  return {
    type: oneOf(directions, rule.type),
    action: oneOf(actions, rule.action),
    proto: parseProtocol(rule),
    dport: parsePorts(rule.dport ?? "", proto),
    sport: parsePorts(rule.sport ?? "", proto),
    source: parseAddress(rule.source ?? ""),
    dest: parseDestination(rule),
    comment: parseComment(rule.comment ?? ""),
    enable: parsed(rule.enable ?? true),
  };
}

/**
 * Returns true for a rule of the operator, which no customer can remove (contract, status codes). The rule's id decides,
 * not its ports, so that customers can close ports that they opened.
 * @param orderId id of the server's order, which is the prefix of the operator's rule ids.
 */
export function isProvidersRule(orderId: string, { ruleId }: Pick<RecordedFirewallRule, "ruleId">): boolean {
  return ruleId.startsWith(`${orderId}/`);
}

/**
 * Returns the operator's permanent rules of a new server. Mail leaves only through the operator's relay, against abuse of
 * new servers; the operator's monitoring reaches its agent.
 * @param orderId prefix of the rules' ids.
 */
export function initialFirewallRules(orderId: string): readonly RecordedFirewallRule[] {
  const any = { proto: "tcp", sport: "", source: "", dest: "", enable: true } as const;
  return [
    {
      ...any,
      ruleId: `${orderId}/mail`,
      type: "out",
      action: "DROP",
      dport: "25",
      comment: "Mail leaves through the provider's relay",
    },
    {
      ...any,
      ruleId: `${orderId}/monitoring`,
      type: "in",
      action: "ACCEPT",
      dport: "5000",
      comment: "The provider's monitoring",
    },
  ];
}

function oneOf<const Word extends string>(words: readonly Word[], text: string): Parsed<Word> {
  const word = words.find((one) => one === text);
  return word === undefined ? unparsable(`must be one of ${words.join(", ")}`) : parsed(word);
}

/** Reads a port, a range `a:b`, or a list of both. Only TCP and UDP have ports. */
function parsePorts(text: string, proto: string): Parsed<string> {
  if (text === "") return parsed(text);
  if (!protocolsWithPorts.has(proto)) return unparsable("needs proto to be tcp or udp");
  const items = text.split(",");
  if (!items.every(isPortItem))
    return unparsable("must be ports from 1 to 65535, for example 80, 8000:8010 or 80,443");
  const numbers = items.reduce((count, item) => count + item.split(":").length, 0);
  const { portNumbers } = firewallRuleLimits;
  return numbers <= portNumbers
    ? parsed(text)
    : unparsable(`must hold at most ${String(portNumbers)} numbers; a range counts as two`);
}

function isPortItem(item: string): boolean {
  const ports = item.split(":");
  const [first = 0, last = first] = ports.map(portOf);
  return ports.length <= 2 && first >= 1 && first <= last && last <= 65_535;
}

/** Returns a port's number; 0 for any other text. */
function portOf(text: string): number {
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
}

function parseAddress(text: string): Parsed<string> {
  return text === "" || addressPattern.safeParse(text).success
    ? parsed(text)
    : unparsable("must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24");
}

const familyOf = (address: string): "IPv4" | "IPv6" => (address.includes(":") ? "IPv6" : "IPv4");

/** Requires addresses of the same family for ICMP and ICMPv6. */
function parseProtocol({ proto = "", source = "", dest = "" }: RequestedFirewallRule): Parsed<string> {
  if (!protocols.has(proto)) return unparsable("must be tcp, udp, icmp or ipv6-icmp");
  const address = [source, dest].find((one) => one !== "" && parseAddress(one).ok);
  const wanted = address === undefined ? undefined : icmpOf[familyOf(address)];
  if (address === undefined || !isIcmp(proto) || proto === wanted) return parsed(proto);
  return unparsable(
    `must be ${String(wanted)} with the address ${address}: ${proto} has addresses of the other family alone`,
  );
}

const icmpOf = { IPv4: "icmp", IPv6: "ipv6-icmp" } as const;
const isIcmp = (proto: string): boolean => proto === icmpOf.IPv4 || proto === icmpOf.IPv6;

/** Requires source and destination of the same family. */
function parseDestination({ source = "", dest = "" }: RequestedFirewallRule): Parsed<string> {
  const read = parseAddress(dest);
  if (!read.ok || dest === "" || source === "" || familyOf(source) === familyOf(dest)) return read;
  return unparsable(`must be ${familyOf(source)} as source is: a rule is for one family of addresses`);
}

function parseComment(text: string): Parsed<string> {
  const comment = text.trim();
  if (!hasAtMost(comment, firewallRuleLimits.comment))
    return unparsable(`must be at most ${String(firewallRuleLimits.comment)} characters long`);
  return isLine(comment) ? parsed(comment) : unparsable("must be one line of well-formed text");
}
