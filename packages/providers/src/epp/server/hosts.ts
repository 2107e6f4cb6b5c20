import type { RegistryHost } from "../../sandbox/sandbox-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { hostElements } from "../contact-elements.ts";
import { roidOf } from "./answering.ts";
import {
  atMost,
  refuse,
  statusesAfter,
  type Answer,
  type CommandContext,
  type ObjectCommand,
} from "./command.ts";
import { EppRefusal } from "./result-codes.ts";

const settableStatuses = new Set(["clientDeleteProhibited", "clientUpdateProhibited"]);

/** Answers which host names are free (RFC 5732 §3.1.1). @throws EppRefusal */
export function checkHosts({ registry }: CommandContext, { object }: ObjectCommand): Answer {
  const { names } = hostElements.check.read(object, refuse);
  const answers = names.map((id) => ({ subject: { id, available: registry.host(id) === undefined } }));
  return { code: 1000, resData: hostElements.chkData.write({ answers }) };
}

/** Creates a host, with addresses if below a domain of the registry (RFC 5732 §3.2.1). @throws EppRefusal */
export function createHost(context: CommandContext, { object }: ObjectCommand): Answer {
  const { registry, registrar, atMs } = context;
  const { name, addresses } = hostElements.create.read(object, refuse);
  if (registry.host(name) !== undefined) throw new EppRefusal(2302, `The host ${name} exists already.`);
  refuseBelowOthers(context, name, addresses);
  const createdAt = instantOf(atMs);
  registry.putHost({ name, sponsor: registrar, creator: registrar, createdAt, addresses, statuses: [] });
  return { code: 1000, resData: hostElements.creData.write({ name, createdAt }) };
}

/** Refuses a host below another registrar's domain, or without an address below any domain (RFC 5732 §3.2.1). */
function refuseBelowOthers(
  { registry, registrar }: CommandContext,
  name: string,
  addresses: readonly string[],
): void {
  const labels = name.split(".");
  const above = labels
    .map((_, depth) => registry.domain(labels.slice(depth).join(".")))
    .find((held) => held !== undefined);
  if (above !== undefined && above.sponsor !== registrar)
    throw new EppRefusal(2201, `Another registrar holds ${above.name}.`);
  if (above !== undefined && addresses.length === 0)
    throw new EppRefusal(2003, `${name} is below ${above.name}, and <addr> is missing.`);
}

/** Shows a host (RFC 5732 §3.1.2). @throws EppRefusal */
export function showHost({ registry }: CommandContext, { object }: ObjectCommand): Answer {
  const { name } = hostElements.info.read(object, refuse);
  const host = registry.host(name);
  if (host === undefined) throw new EppRefusal(2303, `There is no host ${name}.`);
  const shown = [...host.statuses, ...(registry.isHostLinked(name) ? ["linked"] : [])];
  const statuses = shown.length === 0 ? ["ok"] : shown;
  return { code: 1000, resData: hostElements.infData.write({ ...host, roid: roidOf("H", name), statuses }) };
}

/** Changes a host's addresses and statuses (RFC 5732 §3.2.5). @throws EppRefusal 2306 for a new name */
export function updateHost(context: CommandContext, { object }: ObjectCommand): Answer {
  const { name, add, remove, change } = hostElements.update.read(object, refuse);
  const host = ownHost(context, name);
  if (change !== undefined) throw new EppRefusal(2306, "This registry cannot rename hosts.");
  if (add === undefined && remove === undefined)
    throw new EppRefusal(2003, "<update> lacks <add> and <rem>.");
  const statuses = statusesAfter(host.statuses, { add, remove }, settableStatuses);
  if (statuses.includes("clientUpdateProhibited") && host.statuses.includes("clientUpdateProhibited"))
    throw new EppRefusal(2304, `${host.name} has the status clientUpdateProhibited.`);
  const kept = host.addresses.filter((address) => !remove?.addresses.includes(address));
  const addresses = atMost([...new Set([...kept, ...(add?.addresses ?? [])])], 13, "addresses");
  const { registrar: updater, atMs } = context;
  context.registry.putHost({ ...host, addresses, statuses, updater, updatedAt: instantOf(atMs) });
  return { code: 1000 };
}

/** Deletes a host without delegations (RFC 5732 §3.2.2). @throws EppRefusal 2304, 2305 */
export function deleteHost(context: CommandContext, { object }: ObjectCommand): Answer {
  const host = ownHost(context, hostElements.delete.read(object, refuse).name);
  if (host.statuses.includes("clientDeleteProhibited"))
    throw new EppRefusal(2304, `${host.name} has the status clientDeleteProhibited.`);
  if (context.registry.isHostLinked(host.name))
    throw new EppRefusal(2305, `A name is delegated to ${host.name}.`);
  context.registry.removeHost(host.name);
  return { code: 1000 };
}

function ownHost({ registry, registrar }: CommandContext, name: string): RegistryHost {
  const host = registry.host(name);
  if (host === undefined) throw new EppRefusal(2303, `There is no host ${name}.`);
  if (host.sponsor !== registrar) throw new EppRefusal(2201, `Another registrar has the host ${name}.`);
  return host;
}
