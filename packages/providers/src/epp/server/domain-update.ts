import type { DomainContact, DomainDetails } from "../../sandbox/registry-contents.codec.ts";
import { behaviourOf } from "../../sandbox/labels.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { isRedeemable } from "../../sandbox/sandbox-domains.ts";
import type { RegistryDomain } from "../../sandbox/sandbox-registry.ts";
import { namespaces } from "../namespaces.ts";
import { childOf, element, type XmlElement } from "../xml.ts";
import { extensionOf, type Answer, type CommandContext, type ObjectCommand } from "./command.ts";
import { delegationIn, type Delegation } from "./delegation.ts";
import { contactsIn, hidesRegistrant, registrantIn } from "./domain-create.ts";
import { feeTaken } from "./fees.ts";
import { all, atMost, authInfoIn, dnsName, optional, required, statusesAfter } from "./reading.ts";
import { clientStatuses, ownDomain, refuseProhibited, statusesOf } from "./registered.ts";
import { EppRefusal } from "./result-codes.ts";
import { dsDataAfter } from "./sec-dns.ts";

const { rgp } = namespaces;
const mostNameservers = 13;

/** Changes a domain (RFC 5731 §3.2.5) and its DS records (RFC 5910), or restores it (RFC 3915). @throws EppRefusal */
export function updateDomain(context: CommandContext, command: ObjectCommand): Answer {
  const name = dnsName(required(command.object, "name"));
  const domain = ownDomain(context, name);
  const restore = extensionOf(command, rgp);
  if (restore !== undefined) return restoreDomain(context, { command, restore, domain });
  const parts = partsOf(command.object);
  if (
    parts.add === undefined &&
    parts.rem === undefined &&
    parts.chg === undefined &&
    command.extensions.length === 0
  )
    throw new EppRefusal(2003, "<update> lacks <add>, <rem>, <chg> and an extension.");
  const found = statusesOf(context, domain).filter((status) => clientStatuses.has(status));
  const statuses = statusesAfter(found, parts, clientStatuses);
  // A command may itself remove the prohibition.
  refuseProhibited(
    context,
    domain,
    ...(statuses.includes("clientUpdateProhibited") ? ["clientUpdateProhibited"] : []),
  );
  const delegation = delegationAfter(context, domain, parts);
  const details = detailsAfter(context, domain, parts);
  const { hostAttributes: _before, ...rest } = details;
  context.registry.putDomain({
    ...domain,
    nameservers: delegation.nameservers,
    transferLock: statuses.includes("clientTransferProhibited"),
    whoisPrivacy: hidesRegistrant(context.registry, details.registrant),
    details: {
      ...rest,
      statuses: statuses.filter((status) => status !== "clientTransferProhibited"),
      dsData: dsDataAfter(command, details.dsData),
      updater: context.registrar,
      updatedAt: instantOf(context.atMs),
      ...(delegation.attributes && { hostAttributes: delegation.attributes }),
    },
  });
  return { code: 1000 };
}

interface UpdateParts {
  readonly add: XmlElement | undefined;
  readonly rem: XmlElement | undefined;
  readonly chg: XmlElement | undefined;
}

function partsOf(object: XmlElement): UpdateParts {
  return { add: optional(object, "add"), rem: optional(object, "rem"), chg: optional(object, "chg") };
}

function delegationAfter(
  { registry }: CommandContext,
  { name, nameservers, details }: RegistryDomain,
  { add, rem }: UpdateParts,
): Delegation {
  const before = details.hostAttributes;
  const added = delegationIn(registry, add);
  const removed = optional(rem, "ns");
  if (added === undefined && removed === undefined)
    return { nameservers, ...(before && { attributes: before }) };
  if (behaviourOf(name).refusesNameservers)
    throw new EppRefusal(2306, `The registry rejects the nameservers of ${name}.`);
  const gone = [
    ...all(removed, "hostObj").map(dnsName),
    ...all(removed, "hostAttr").map((host) => dnsName(required(host, "hostName"))),
  ];
  const kept = nameservers.filter((host) => !gone.includes(host));
  const after = [...new Set([...kept, ...(added?.nameservers ?? [])])];
  const attributes = added === undefined ? before : added.attributes && { ...before, ...added.attributes };
  return {
    nameservers: atMost(after, mostNameservers, "nameservers"),
    ...(attributes && after.length > 0 && { attributes }),
  };
}

function detailsAfter(
  { registry }: CommandContext,
  { details }: RegistryDomain,
  parts: UpdateParts,
): DomainDetails {
  const { add, rem, chg } = parts;
  const removed = contactsIn(registry, rem);
  const added = contactsIn(registry, add);
  const kept = details.contacts.filter(
    (contact) => ![...removed, ...added].some((other) => isSame(other, contact)),
  );
  const contacts = atMost([...kept, ...added], 10, "contacts");
  const { registrant: before, ...rest } = details;
  const registrant = registrantAfter(registry, chg, before);
  return {
    ...rest,
    contacts,
    ...(registrant !== undefined && { registrant }),
    ...(optional(chg, "authInfo") !== undefined && chg !== undefined && { authInfo: authInfoIn(chg) }),
  };
}

function registrantAfter(
  registry: CommandContext["registry"],
  chg: XmlElement | undefined,
  before: string | undefined,
): string | undefined {
  const named = optional(chg, "registrant");
  if (named === undefined || chg === undefined) return before;
  return named.text === "" ? undefined : registrantIn(registry, chg);
}

function isSame(one: DomainContact, other: DomainContact): boolean {
  return one.type === other.type && one.id === other.id;
}

interface Restore {
  readonly command: ObjectCommand;
  readonly restore: XmlElement;
  readonly domain: RegistryDomain;
}

/** Restores a deleted domain. The subsequent report, required by real registries, is accepted and ignored. */
function restoreDomain(context: CommandContext, { command, restore, domain }: Restore): Answer {
  const operation = childOf(restore, rgp, "restore")?.attributes.op;
  if (operation === "report") return { code: 1000 };
  if (operation !== "request") throw new EppRefusal(2001, "<restore> must request or report.");
  const { deletedAtMs, ...details } = domain.details;
  if (deletedAtMs === undefined || !isRedeemable(deletedAtMs, context.atMs))
    throw new EppRefusal(2304, `${domain.name} is not in its redemption period.`);
  const fees = feeTaken(command, domain.name, { of: "restore", years: 1 });
  context.registry.putDomain({ ...domain, details });
  const status = element(rgp, "rgpStatus", [], { s: "pendingRestore" });
  return { code: 1000, extension: [element(rgp, "upData", [status]), ...fees] };
}
