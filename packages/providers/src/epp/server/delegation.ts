import { isIP } from "node:net";

import type { SandboxRegistry } from "../../sandbox/sandbox-registry.ts";
import { addressesOf } from "../host-commands.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { all, atMost, dnsName, optional, required } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";

const { domain } = namespaces;
const mostNameservers = 13;
const mostAddresses = 13;

/** Nameservers in a command: host objects, or attributes with addresses (RFC 5731 §1.1). */
export interface Delegation {
  readonly nameservers: readonly string[];
  /** Addresses by name; undefined for host objects. */
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
}

/** Parses `<domain:ns>`. @throws EppRefusal 2001, 2005, 2303 for an unknown host, 2306 */
export function delegationIn(
  registry: SandboxRegistry,
  parent: XmlElement | undefined,
): Delegation | undefined {
  const ns = optional(parent, "ns");
  if (ns === undefined) return undefined;
  const attributes = all(ns, "hostAttr");
  const objects = atMost(all(ns, "hostObj"), mostNameservers, "nameservers").map(dnsName);
  if (attributes.length === 0) {
    const missing = objects.find((name) => registry.host(name) === undefined);
    if (missing !== undefined) throw new EppRefusal(2303, `There is no host ${missing}.`);
    return { nameservers: [...new Set(objects)] };
  }
  if (objects.length > 0) throw new EppRefusal(2001, "<ns> holds hosts of both kinds.");
  const hosts = atMost(attributes, mostNameservers, "nameservers").map(
    (host) => [dnsName(required(host, "hostName")), addressesIn(host, "hostAddr")] as const,
  );
  return { nameservers: [...new Set(hosts.map(([name]) => name))], attributes: Object.fromEntries(hosts) };
}

/** Parses a host's addresses. @throws EppRefusal 2005, 2306 */
export function addressesIn(parent: XmlElement | undefined, name: string): readonly string[] {
  return atMost(all(parent, name), mostAddresses, "addresses").map((address) => {
    const family = address.attributes.ip === "v6" ? 6 : 4;
    if (isIP(address.text) !== family)
      throw new EppRefusal(2005, `<${name}> must be an IPv${String(family)} address.`);
    return address.text;
  });
}

/** Returns `<domain:ns>` for an answer; undefined without nameservers. */
export function delegationShown({ nameservers, attributes }: Delegation): XmlElement | undefined {
  if (nameservers.length === 0) return undefined;
  return element(
    domain,
    "ns",
    nameservers.map((name) =>
      attributes === undefined
        ? element(domain, "hostObj", name)
        : element(domain, "hostAttr", [
            element(domain, "hostName", name),
            ...addressesOf(domain, "hostAddr", attributes[name] ?? []),
          ]),
    ),
  );
}
