import { isIPv6 } from "node:net";

import { objectCommand, type Command } from "./commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childOf, childrenOf, element, XmlError, type XmlElement } from "./xml.ts";

const { domain, host } = namespaces;

/** Changes of a host's addresses. */
export interface HostChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Creates a host object (RFC 5732 §3.2.1). @param addresses of a host below a domain of the registry */
export function createHost(name: string, addresses: readonly string[]): Command {
  const content = [element(host, "name", name), ...addressesOf(host, "addr", addresses)];
  return { content: objectCommand("create", host, content) };
}

/** Requests all data of a host. */
export function askHost(name: string): Command {
  return { content: objectCommand("info", host, [element(host, "name", name)]) };
}

/** Parses the addresses in the answer of `askHost`. @throws XmlError */
export function readAddresses({ data }: Response, name: string): readonly string[] {
  if (data === undefined || childOf(data, host, "name")?.text.toLowerCase() !== name)
    throw new XmlError(`The answer is not about the host ${name}.`);
  return childrenOf(data, host, "addr").map(({ text }) => text);
}

/** Changes a host's addresses (RFC 5732 §3.2.5). */
export function updateHost(name: string, { added, removed }: HostChange): Command {
  const part = (kind: string, addresses: readonly string[]) =>
    addresses.length === 0 ? undefined : element(host, kind, addressesOf(host, "addr", addresses));
  const content = [element(host, "name", name), part("add", added), part("rem", removed)];
  return { content: objectCommand("update", host, content) };
}

/** Deletes a host (RFC 5732 §3.2.2). */
export function deleteHost(name: string): Command {
  return { content: objectCommand("delete", host, [element(host, "name", name)]) };
}

/** Requests the hosts below a domain (RFC 5731 §3.1.2). */
export function askHostsBelow(name: string): Command {
  return { content: objectCommand("info", domain, [element(domain, "name", name, { hosts: "sub" })]) };
}

/** Parses the answer of `askHostsBelow`. @throws XmlError */
export function readHostsBelow({ data }: Response, name: string): readonly string[] {
  if (data === undefined || childOf(data, domain, "name")?.text.toLowerCase() !== name)
    throw new XmlError(`The answer is not about ${name}.`);
  return childrenOf(data, domain, "host").map(({ text }) => text.toLowerCase());
}

/** Returns an XML element for each IP address. @param namespace of the command @param name of the elements */
export function addressesOf(
  namespace: string,
  name: string,
  addresses: readonly string[],
): readonly XmlElement[] {
  return addresses.map((address) => element(namespace, name, address, { ip: isIPv6(address) ? "v6" : "v4" }));
}
