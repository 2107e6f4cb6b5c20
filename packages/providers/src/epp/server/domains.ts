import { addYears } from "@hostledger/core";

import { behaviourOf } from "../../sandbox/labels.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { addGraceMs, isRedeemable, mostYearsAhead } from "../../sandbox/sandbox-domains.ts";
import type { RegistryDomain, SandboxRegistry } from "../../sandbox/sandbox-registry.ts";
import { elsewhere } from "../../sandbox/sandbox-transfers.ts";
import { domainElements, type DomainContact, type NameserversElement } from "../domain-elements.ts";
import { graceElements, signerElements } from "../extension-elements.ts";
import { namespaces } from "../namespaces.ts";
import type { XmlElement } from "../xml.ts";
import { roidOf } from "./answering.ts";
import {
  digestsIn,
  extensionOf,
  orderIdOf,
  refuse,
  type Answer,
  type CommandContext,
  type ObjectCommand,
} from "./command.ts";
import { requestedFees, feeTaken } from "./fees.ts";
import { isUnread, showsExpiry } from "./labels.ts";
import { EppRefusal } from "./result-codes.ts";

/** Answers which names are available, and their fees (RFC 5731 §3.1.1, RFC 8748). @throws EppRefusal */
export function checkDomains(context: CommandContext, command: ObjectCommand): Answer {
  const { names } = domainElements.check.read(command.object, refuse);
  const answers = names.map((id) => {
    const available = isAvailable(context, id);
    return { subject: { id, available }, reason: available ? undefined : "In use" };
  });
  return {
    code: 1000,
    resData: domainElements.chkData.write({ answers }),
    extension: requestedFees(command, names),
  };
}

/** Returns true if nobody holds the name, in the sandbox and by its simulated label. */
function isAvailable({ registry }: CommandContext, name: string): boolean {
  return behaviourOf(name).available && registry.domain(name) === undefined;
}

/** Registers a domain (RFC 5731 §3.2.1). @throws EppRefusal */
export function createDomain(context: CommandContext, command: ObjectCommand): Answer {
  const { registry, registrar, atMs } = context;
  const given = domainElements.create.read(command.object, refuse);
  const { name, years = 1, registrant, authInfo } = given;
  if (registrant !== undefined) refuseAbsentContact(registry, registrant);
  const contacts = existingContacts(registry, given.contacts);
  const delegation = given.delegation && delegationOf(registry, given.delegation);
  const fees = feeTaken(command, name, { of: "create", years });
  const signers = extensionOf(command, namespaces.secDns);
  const dsData = digestsIn(signers && signerElements.create.read(signers, refuse));
  if (!isAvailable(context, name)) throw new EppRefusal(2302, `Somebody holds ${name}.`);
  const registeredAt = instantOf(atMs);
  const expiresAt = addYears(registeredAt, years);
  const isNew = registry.putDomain({
    name,
    clientTransactionId: orderIdOf(context),
    registeredAt,
    expiresAt,
    nameservers: delegation?.nameservers ?? [],
    whoisPrivacy: hidesRegistrant(registry, registrant),
    transferLock: false,
    settlesAtMs: 0,
    sponsor: registrar,
    details: {
      creator: registrar,
      contacts,
      statuses: [],
      authInfo,
      dsData,
      registrant,
      hostAttributes: delegation?.attributes,
    },
  });
  // The sandbox stores one domain per order id, so that the books can be compared with it.
  if (!isNew) throw new EppRefusal(2308, "An order with this clTRID registered another name.");
  const created = { name, createdAt: registeredAt, expiresAt: showsExpiry(name) ? expiresAt : undefined };
  return { code: 1000, resData: domainElements.creData.write(created), extension: fees };
}

/** Nameservers in a command: host objects, or attributes with addresses (RFC 5731 §1.1). */
export interface Delegation {
  readonly nameservers: readonly string[];
  /** Addresses by name; undefined for host objects. */
  readonly attributes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Returns the nameservers of `<domain:ns>`. @throws EppRefusal 2001 for both kinds of hosts, 2303 for an unknown host */
export function delegationOf(
  registry: SandboxRegistry,
  { objects, attributes }: NameserversElement,
): Delegation {
  if (attributes.length === 0) {
    const missing = objects.find((name) => registry.host(name) === undefined);
    if (missing !== undefined) throw new EppRefusal(2303, `There is no host ${missing}.`);
    return { nameservers: [...new Set(objects)] };
  }
  if (objects.length > 0) throw new EppRefusal(2001, "<ns> mixes hostObj and hostAttr.");
  const hosts = attributes.map(({ name, addresses }) => [name, addresses] as const);
  return { nameservers: [...new Set(hosts.map(([name]) => name))], attributes: Object.fromEntries(hosts) };
}

/** @throws EppRefusal 2303 */
export function refuseAbsentContact(registry: SandboxRegistry, id: string): void {
  if (registry.contact(id) === undefined) throw new EppRefusal(2303, `There is no contact ${id}.`);
}

/** Returns a command's contacts. @throws EppRefusal 2303 */
export function existingContacts(
  registry: SandboxRegistry,
  contacts: readonly DomainContact[] = [],
): readonly DomainContact[] {
  for (const { id } of contacts) refuseAbsentContact(registry, id);
  return contacts;
}

/** Returns true if the directory hides the registrant, by the contact's settings or because there is none. */
export function hidesRegistrant(registry: SandboxRegistry, registrant: string | undefined): boolean {
  const disclose = registrant === undefined ? undefined : registry.contact(registrant)?.disclose;
  return registrant === undefined || disclose?.flag === false;
}

/** Shows a domain: all to its registrar or with authInfo, else only its registrar (RFC 5731 §3.1.2). @throws EppRefusal */
export function showDomain(context: CommandContext, { object }: ObjectCommand): Answer {
  const { subject, authInfo } = domainElements.info.read(object, refuse);
  const { name, hosts } = subject;
  context.registry.askedAbout(name);
  const domain = domainIfThere(context, name);
  if (domain === undefined) {
    if (behaviourOf(name).elsewhere === null) throw new EppRefusal(2303, `Nobody holds ${name}.`);
    return { code: 1000, resData: heldBy(name, elsewhere) };
  }
  if (authInfo !== undefined && authInfo !== context.registry.authInfoOf(domain))
    throw new EppRefusal(2202, `The authInfo of ${name} is wrong.`);
  if (domain.sponsor !== context.registrar && authInfo === undefined)
    return { code: 1000, resData: heldBy(name, domain.sponsor) };
  const { dsData, deletedAtMs } = domain.details;
  const isNew = Date.parse(domain.registeredAt) + addGraceMs > context.atMs;
  const grace = graceOf(deletedAtMs, isNew, context.atMs);
  return {
    code: 1000,
    resData: wholeOf(context, domain, hosts),
    extension: [
      ...(dsData.length === 0 ? [] : [signerElements.infData.write({ dsData })]),
      ...(grace === undefined ? [] : [graceElements.infData.write({ statuses: [grace] })]),
    ],
  };
}

function graceOf(deletedAtMs: number | undefined, isNew: boolean, atMs: number): string | undefined {
  if (deletedAtMs === undefined) return isNew ? "addPeriod" : undefined;
  return isRedeemable(deletedAtMs, atMs) ? "redemptionPeriod" : "pendingDelete";
}

const shownToAnyone = { statuses: [], contacts: [], hosts: [] };

/** Returns a domain for a message to its registrar; only its name if deleted. */
export function domainShown(context: CommandContext, name: string): XmlElement {
  const held = context.registry.domain(name);
  return held === undefined
    ? domainElements.infData.write({ ...shownToAnyone, name })
    : wholeOf(context, held);
}

function heldBy(name: string, sponsor: string): XmlElement {
  return domainElements.infData.write({ ...shownToAnyone, name, roid: roidOf("D", name), sponsor });
}

/** @param hosts hosts to show: delegated (`del`), below the domain (`sub`), or `all`; other values show none. */
function wholeOf(context: CommandContext, domain: RegistryDomain, hosts = "all"): XmlElement {
  const { name, details, sponsor } = domain;
  const { hostAttributes, contacts, registrant, creator, updater, updatedAt, transferredAt } = details;
  const attributes =
    hostAttributes &&
    domain.nameservers.map((host) => ({
      name: host,
      addresses: hostAttributes[host] ?? [],
    }));
  const delegation = { objects: attributes ? [] : domain.nameservers, attributes: attributes ?? [] };
  const showsDelegation = ["all", "del"].includes(hosts) && domain.nameservers.length > 0;
  return domainElements.infData.write({
    name,
    roid: roidOf("D", name),
    statuses: statusesOf(context, domain),
    registrant,
    contacts,
    delegation: showsDelegation ? delegation : undefined,
    hosts: ["all", "sub"].includes(hosts) ? context.registry.hostsBelow(name) : [],
    sponsor,
    creator,
    createdAt: domain.registeredAt,
    updater,
    updatedAt,
    expiresAt: showsExpiry(name) ? expiryOf(domain, context.atMs) : undefined,
    transferredAt,
    authInfo: (sponsor === context.registrar ? context.registry.authInfoOf(domain) : null) ?? undefined,
  });
}

/** Renews a domain from its expiry day (RFC 5731 §3.2.3). @throws EppRefusal 2105 for another day */
export function renewDomain(context: CommandContext, command: ObjectCommand): Answer {
  const { name, expiryDay, years = 1 } = domainElements.renew.read(command.object, refuse);
  const fees = feeTaken(command, name, { of: "renew", years });
  const domain = ownDomain(context, name);
  refuseProhibited(context, domain, "clientRenewProhibited");
  const day = domain.expiresAt.slice(0, 10);
  if (expiryDay.slice(0, 10) !== day) throw new EppRefusal(2105, `${name} expires on ${day}.`);
  const expiresAt = addYears(domain.expiresAt, years);
  if (expiresAt > addYears(instantOf(context.atMs), mostYearsAhead))
    throw new EppRefusal(2105, `${name} may expire ten years from now at most.`);
  context.registry.putDomain({ ...domain, expiresAt });
  const renewed = { name, expiresAt: showsExpiry(name) ? expiresAt : undefined };
  return { code: 1000, resData: domainElements.renData.write(renewed), extension: fees };
}

/** Deletes a domain (RFC 5731 §3.2.2): at once in its first five days, later with a redemption period. @throws EppRefusal */
export function deleteDomain(context: CommandContext, { object }: ObjectCommand): Answer {
  const { registry, atMs } = context;
  const { name } = domainElements.delete.read(object, refuse);
  const domain = ownDomain(context, name);
  refuseProhibited(context, domain, "clientDeleteProhibited");
  const [below] = registry.hostsBelow(name);
  if (below !== undefined) throw new EppRefusal(2305, `The host ${below} is below ${name}.`);
  if (Date.parse(domain.registeredAt) + addGraceMs > atMs) {
    registry.removeDomain(name);
    return { code: 1000 };
  }
  registry.putDomain({ ...domain, details: { ...domain.details, deletedAtMs: atMs } });
  return { code: 1001 };
}

/** Returns the domain of a name, if held. @throws EppRefusal 2400 while an order's outcome is simulated as unknown */
export function domainIfThere({ registry, atMs }: CommandContext, name: string): RegistryDomain | undefined {
  const domain = registry.domain(name);
  if (domain !== undefined && domain.settlesAtMs > atMs)
    throw new EppRefusal(2400, "The outcome of an order for this name is unknown at the registry.");
  if (domain !== undefined && isUnread(name, domain.registeredAt, atMs))
    throw new EppRefusal(2400, "The registry answers nothing about this name yet.");
  return domain;
}

/** Returns the registrar's own domain. @throws EppRefusal 2303, 2201 for another registrar's, 2400 */
export function ownDomain(context: CommandContext, name: string): RegistryDomain {
  const domain = domainIfThere(context, name);
  if (domain === undefined) throw new EppRefusal(2303, `Nobody holds ${name}.`);
  if (domain.sponsor !== context.registrar) throw new EppRefusal(2201, `Another registrar holds ${name}.`);
  return domain;
}

/** Statuses that a registrar can set (RFC 5731 §2.3). */
export const clientStatuses: ReadonlySet<string> = new Set([
  "clientDeleteProhibited",
  "clientHold",
  "clientRenewProhibited",
  "clientTransferProhibited",
  "clientUpdateProhibited",
]);

export function statusesOf({ registry, atMs }: CommandContext, domain: RegistryDomain): readonly string[] {
  const { details, transferLock, nameservers, name } = domain;
  const pending = pendingOf(domain, atMs);
  const statuses = [
    ...details.statuses,
    ...(transferLock ? ["clientTransferProhibited"] : []),
    ...(details.deletedAtMs === undefined ? [] : ["pendingDelete"]),
    ...(pending === undefined ? [] : [pending]),
    ...(registry.transferOf(name)?.isPending === true ? ["pendingTransfer"] : []),
    ...(nameservers.length === 0 ? ["inactive"] : []),
  ];
  return statuses.length === 0 ? ["ok"] : statuses;
}

function pendingOf({ details: { pending } }: RegistryDomain, atMs: number): string | undefined {
  return pending !== undefined && pending.untilMs > atMs ? pending.kind : undefined;
}

/** Returns the expiry in force; the earlier date while a renewal is pending. */
export function expiryOf({ details: { pending }, expiresAt }: RegistryDomain, atMs: number): string {
  return pending?.kind === "pendingRenew" && pending.untilMs > atMs ? pending.expiresAt : expiresAt;
}

/** @throws EppRefusal 2304 if a status or a pending action prohibits the command */
export function refuseProhibited(
  context: CommandContext,
  domain: RegistryDomain,
  ...prohibiting: readonly string[]
): void {
  const pending = ["pendingCreate", "pendingDelete", "pendingRenew", "pendingTransfer"];
  const status = statusesOf(context, domain).find((set) => [...pending, ...prohibiting].includes(set));
  if (status !== undefined) throw new EppRefusal(2304, `${domain.name} has the status ${status}.`);
}
