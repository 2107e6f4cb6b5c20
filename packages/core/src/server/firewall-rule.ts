import { z } from "zod";

import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost, isLine } from "../kernel/values.ts";
import type { RecordedFirewallRule } from "./server.events.ts";

/** A rule as somebody asks for it, in the words of Proxmox VE; an empty or missing text means any. */
export interface RequestedFirewallRule {
  readonly action: string;
  readonly type: string;
  readonly proto?: string | undefined;
  readonly dport?: string | undefined;
  readonly sport?: string | undefined;
  readonly source?: string | undefined;
  readonly dest?: string | undefined;
  readonly comment?: string | undefined;
  /** Missing means in force. */
  readonly enable?: boolean | undefined;
}

/** The fields of a rule that was read; the edge gives it its id. */
export type FirewallRuleFields = Omit<RecordedFirewallRule, "ruleId">;

/** Limits of a rule: a port list of `xt_multiport` holds 15 numbers, of which a range takes two. */
export const firewallRuleLimits = { comment: 255, portNumbers: 15 } as const;

const actions = ["ACCEPT", "DROP", "REJECT"] as const;
const directions = ["in", "out"] as const;
const protocols: ReadonlySet<string> = new Set(["", "tcp", "udp", "icmp", "ipv6-icmp"]);
const protocolsWithPorts: ReadonlySet<string> = new Set(["tcp", "udp"]);
const addressPattern = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Reads every field of a rule: what is wrong with which of them is told by field. */
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
 * True for a rule of the provider's own: it came with the server and stays (contract, status codes). Whose rule it is
 * counts, not which ports it names, so that a customer can close whatever he may open.
 * @param orderId of the server's order, which begins the ids of the provider's rules.
 */
export function isProvidersRule(orderId: string, { ruleId }: Pick<RecordedFirewallRule, "ruleId">): boolean {
  return ruleId.startsWith(`${orderId}/`);
}

/**
 * The rules that every new server has first, and keeps: mail leaves through the provider's own relay only, against abuse
 * of fresh servers, and the provider's monitoring reaches its agent.
 * @param orderId makes their ids.
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

/** Reads ports: one, a range `a:b`, or a list of both. They have a meaning for TCP and UDP only. */
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

/** The number of a port; 0, which is none, for any other text. */
function portOf(text: string): number {
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
}

function parseAddress(text: string): Parsed<string> {
  return text === "" || addressPattern.safeParse(text).success
    ? parsed(text)
    : unparsable("must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24");
}

const familyOf = (address: string): "IPv4" | "IPv6" => (address.includes(":") ? "IPv6" : "IPv4");

/** ICMP and ICMPv6 are protocols of one family each. */
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

/** A packet has addresses of one family. */
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
