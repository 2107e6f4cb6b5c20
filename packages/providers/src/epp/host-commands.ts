import { objectCommand, type Command } from "./commands.ts";
import { hostElements } from "./contact-elements.ts";
import type { Response } from "./responses.ts";
import { XmlError } from "./xml.ts";

/** Creates a host object (RFC 5732 §3.2.1). @param addresses of a host below a domain of the registry */
export function createHost(name: string, addresses: readonly string[]): Command {
  return objectCommand(hostElements.create.write({ name, addresses }));
}

/** Requests all data of a host. */
export function askHost(name: string): Command {
  return objectCommand(hostElements.info.write({ name }));
}

/** Parses the addresses in the answer of `askHost`. @throws XmlError */
export function readAddresses({ data }: Response, name: string): readonly string[] {
  const shown = data && hostElements.infData.read(data);
  if (shown?.name !== name) throw new XmlError(`The answer is not about the host ${name}.`);
  return shown.addresses;
}

/** Changes a host's addresses (RFC 5732 §3.2.5). */
export function updateHost(
  name: string,
  { added, removed }: Readonly<Record<"added" | "removed", readonly string[]>>,
): Command {
  const part = (addresses: readonly string[]) =>
    addresses.length === 0 ? undefined : { addresses, statuses: [] };
  return objectCommand(hostElements.update.write({ name, add: part(added), remove: part(removed) }));
}

/** Deletes a host (RFC 5732 §3.2.2). */
export function deleteHost(name: string): Command {
  return objectCommand(hostElements.delete.write({ name }));
}
