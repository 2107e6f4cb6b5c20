import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { objectionToHyphens } from "./internationalized-label.ts";

/** A domain name of one label and an extension, in lower case. */
export interface DomainName {
  /** The whole name, for example `example.com`. */
  readonly name: string;
  /** The extension without its dot, for example `com`. */
  readonly tld: string;
}

/** Limits of names (specification §4.1 and §8; RFC 1035 §2.3.4 for the label). */
export const domainNameLimits = { minimumLength: 3, maximumLength: 253, label: 63 } as const;

/** Limits of the registration term in years (specification §4.1). */
export const yearsLimits = { minimum: 1, maximum: 10 } as const;

/** Limits of the number of nameservers (specification §4.1). */
export const nameserverLimits = { minimum: 2, maximum: 6 } as const;

// Specification §4.1. Check before lower-casing, because that turns the Kelvin sign (U+212A) into a plain "k".
const registrablePattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.[a-zA-Z]{2,}$/;
const hostLabelPattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** Reads a domain name and converts it to lower case. */
export function parseDomainName(text: string): Parsed<DomainName> {
  const { minimumLength, maximumLength, label } = domainNameLimits;
  if (text.length < minimumLength || text.length > maximumLength) {
    return unparsable(`must be ${String(minimumLength)} to ${String(maximumLength)} characters long`);
  }
  if (!registrablePattern.test(text)) return unparsable(objectionToWriting(text));
  const name = text.toLowerCase();
  const dot = name.indexOf(".");
  const tld = extensionOf(name);
  if (dot > label || tld.length > label)
    return unparsable(`labels are at most ${String(label)} characters long`);
  const objection = objectionToHyphens(name.slice(0, dot));
  return objection === undefined ? parsed({ name, tld }) : unparsable(objection);
}

function objectionToWriting(text: string): string {
  if (text.endsWith(".") && registrablePattern.test(text.slice(0, -1)))
    return `must not end with a dot: drop the dot and send ${text.slice(0, -1)}`;
  return "must be one label and one extension, for example example.com; subdomains are refused";
}

/** Returns the extension of a parsed name, without its dot. */
export function extensionOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

export function parseYears(years: number): Parsed<number> {
  const { minimum, maximum } = yearsLimits;
  return Number.isInteger(years) && years >= minimum && years <= maximum
    ? parsed(years)
    : unparsable(`must be a whole number from ${String(minimum)} to ${String(maximum)}`);
}

/** Reads nameserver host names (RFC 1123 §2.1) without duplicates; returns lower case without a final dot. */
export function parseNameservers(hosts: readonly string[]): Parsed<readonly string[]> {
  const { minimum, maximum } = nameserverLimits;
  if (hosts.length < minimum || hosts.length > maximum) {
    return unparsable(`must name ${String(minimum)} to ${String(maximum)} nameservers`);
  }
  const given = hosts.map((host) => host.replace(/\.$/u, ""));
  const wrong = given.find((host) => !isHostName(host));
  if (wrong !== undefined) return unparsable(`${JSON.stringify(wrong.slice(0, 80))} is not a host name`);
  const names = given.map((host) => host.toLowerCase());
  return new Set(names).size === names.length
    ? parsed(names)
    : unparsable("must not name a nameserver twice");
}

/** Returns true if two sets contain the same names in any order. */
export function isSameNameserverSet(left: readonly string[], right: readonly string[]): boolean {
  const names = new Set(left.map((name) => name.toLowerCase()));
  return names.size === right.length && right.every((name) => names.has(name.toLowerCase()));
}

function isHostName(host: string): boolean {
  const labels = host.split(".");
  return (
    host.length <= domainNameLimits.maximumLength &&
    labels.length >= 2 &&
    labels.every((label) => hostLabelPattern.test(label)) &&
    // A last label of digits would make an address (RFC 1123 §2.1).
    !/^\d+$/.test(labels.at(-1) ?? "")
  );
}
