import { objectCommand, type Command } from "./commands.ts";
import { namespaces } from "./namespaces.ts";
import { element } from "./xml.ts";

const { host } = namespaces;

/** Makes a nameserver known to the registry (RFC 5732 §3.2.1): one outside its own extension, which has no addresses there. */
export function createHost(name: string): Command {
  return { content: objectCommand("create", host, [element(host, "name", name)]) };
}
