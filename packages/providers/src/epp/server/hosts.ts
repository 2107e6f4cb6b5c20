import type { RegistryHost } from "../../sandbox/registry-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { addressesOf } from "../host-commands.ts";
import { namespaces } from "../namespaces.ts";
import { element } from "../xml.ts";
import { roidOf } from "./answering.ts";
import type { Answer, CommandContext, ObjectCommand } from "./command.ts";
import { addressesIn } from "./delegation.ts";
import { all, atMost, dnsName, optional, required, statusesAfter } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";

const { host: ns } = namespaces;
const mostNames = 100;
const settableStatuses = new Set(["clientDeleteProhibited", "clientUpdateProhibited"]);

/** Answers which host names are free (RFC 5732 §3.1.1). @throws EppRefusal */
export function checkHosts({ registry }: CommandContext, { object }: ObjectCommand): Answer {
  const names = atMost(all(object, "name"), mostNames, "names").map(dnsName);
  if (names.length === 0) throw new EppRefusal(2003, "<check> lacks <name>.");
  const answers = names.map((name) => {
    const isFree = registry.host(name) === undefined;
    return element(ns, "cd", [element(ns, "name", name, { avail: isFree ? "1" : "0" })]);
  });
  return { code: 1000, resData: element(ns, "chkData", answers) };
}

/** Creates a host, with addresses if below a domain of the registry (RFC 5732 §3.2.1). @throws EppRefusal */
export function createHost(context: CommandContext, { object }: ObjectCommand): Answer {
  const { registry, registrar, atMs } = context;
  const name = dnsName(required(object, "name"));
  const addresses = addressesIn(object, "addr");
  if (registry.host(name) !== undefined) throw new EppRefusal(2302, `There is a host ${name}.`);
  refuseBelowOthers(context, name, addresses);
  const createdAt = instantOf(atMs);
  registry.putHost({ name, sponsor: registrar, creator: registrar, createdAt, addresses, statuses: [] });
  const created = [element(ns, "name", name), element(ns, "crDate", createdAt)];
  return { code: 1000, resData: element(ns, "creData", created) };
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
  const name = dnsName(required(object, "name"));
  const host = registry.host(name);
  if (host === undefined) throw new EppRefusal(2303, `There is no host ${name}.`);
  const statuses = [...host.statuses, ...(registry.isHostLinked(name) ? ["linked"] : [])];
  const { updater, updatedAt } = host;
  const known = [
    element(ns, "name", name),
    element(ns, "roid", roidOf("H", name)),
    ...(statuses.length === 0 ? ["ok"] : statuses).map((s) => element(ns, "status", [], { s })),
    ...addressesOf(ns, "addr", host.addresses),
    element(ns, "clID", host.sponsor),
    element(ns, "crID", host.creator),
    element(ns, "crDate", host.createdAt),
    updater === undefined ? undefined : element(ns, "upID", updater),
    updatedAt === undefined ? undefined : element(ns, "upDate", updatedAt),
  ];
  return { code: 1000, resData: element(ns, "infData", known) };
}

/** Changes a host's addresses and statuses (RFC 5732 §3.2.5). @throws EppRefusal 2306 for a new name */
export function updateHost(context: CommandContext, { object }: ObjectCommand): Answer {
  const host = ownHost(context, dnsName(required(object, "name")));
  if (optional(object, "chg") !== undefined) throw new EppRefusal(2306, "A host keeps its name here.");
  const add = optional(object, "add");
  const rem = optional(object, "rem");
  if (add === undefined && rem === undefined) throw new EppRefusal(2003, "<update> lacks <add> and <rem>.");
  const statuses = statusesAfter(host.statuses, { add, rem }, settableStatuses);
  if (statuses.includes("clientUpdateProhibited") && host.statuses.includes("clientUpdateProhibited"))
    throw new EppRefusal(2304, `${host.name} has the status clientUpdateProhibited.`);
  const gone = addressesIn(rem, "addr");
  const kept = host.addresses.filter((address) => !gone.includes(address));
  const addresses = atMost([...new Set([...kept, ...addressesIn(add, "addr")])], 13, "addresses");
  const { registrar: updater, atMs } = context;
  context.registry.putHost({ ...host, addresses, statuses, updater, updatedAt: instantOf(atMs) });
  return { code: 1000 };
}

/** Deletes a host without delegations (RFC 5732 §3.2.2). @throws EppRefusal 2304, 2305 */
export function deleteHost(context: CommandContext, { object }: ObjectCommand): Answer {
  const host = ownHost(context, dnsName(required(object, "name")));
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
