import { signersText, type DelegationSigner } from "@hostledger/core";
import { defined } from "@hostledger/runtime";

import { behaviourOf } from "../../sandbox/labels.ts";
import type { DomainDetails } from "../../sandbox/sandbox-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { isRedeemable } from "../../sandbox/sandbox-domains.ts";
import type { RegistryDomain } from "../../sandbox/sandbox-registry.ts";
import { domainElements, type DomainContact } from "../domain-elements.ts";
import { graceElements, signerElements } from "../extension-elements.ts";
import { namespaces } from "../namespaces.ts";
import type { ValueOf } from "../shapes.codec.ts";
import type { XmlElement } from "../xml.ts";
import {
  atMost,
  digestsIn,
  extensionOf,
  refuse,
  statusesAfter,
  type Answer,
  type CommandContext,
  type ObjectCommand,
} from "./command.ts";
import {
  clientStatuses,
  delegationOf,
  existingContacts,
  hidesRegistrant,
  ownDomain,
  refuseAbsentContact,
  refuseProhibited,
  statusesOf,
  type Delegation,
} from "./domains.ts";
import { feeTaken } from "./fees.ts";
import { EppRefusal } from "./result-codes.ts";

const { rgp, secDns } = namespaces;
const mostNameservers = 13;
const mostDsData = 13;

type Update = ValueOf<typeof domainElements.update>;

/** Changes a domain (RFC 5731 §3.2.5) and its DS records (RFC 5910), or restores it (RFC 3915). @throws EppRefusal */
export function updateDomain(context: CommandContext, command: ObjectCommand): Answer {
  const update = domainElements.update.read(command.object, refuse);
  const domain = ownDomain(context, update.name);
  const restore = extensionOf(command, rgp);
  if (restore !== undefined) return restoreDomain(context, { command, restore, domain });
  const { add, remove, change } = update;
  if (add === undefined && remove === undefined && change === undefined && command.extensions.length === 0)
    throw new EppRefusal(2003, "<update> lacks <add>, <rem>, <chg> and an extension.");
  const found = statusesOf(context, domain).filter((status) => clientStatuses.has(status));
  const statuses = statusesAfter(found, update, clientStatuses);
  // A command may itself remove the prohibition.
  refuseProhibited(
    context,
    domain,
    ...(statuses.includes("clientUpdateProhibited") ? ["clientUpdateProhibited"] : []),
  );
  const delegation = delegationAfter(context, domain, update);
  const details = detailsAfter(context, domain, update);
  context.registry.putDomain({
    ...domain,
    nameservers: delegation.nameservers,
    transferLock: statuses.includes("clientTransferProhibited"),
    whoisPrivacy: hidesRegistrant(context.registry, details.registrant),
    details: {
      ...details,
      statuses: statuses.filter((status) => status !== "clientTransferProhibited"),
      dsData: dsDataAfter(command, details.dsData),
      updater: context.registrar,
      updatedAt: instantOf(context.atMs),
      hostAttributes: delegation.attributes,
    },
  });
  return { code: 1000 };
}

function delegationAfter(
  { registry }: CommandContext,
  { name, nameservers, details }: RegistryDomain,
  { add, remove }: Update,
): Delegation {
  const before = details.hostAttributes;
  const added = add?.delegation && delegationOf(registry, add.delegation);
  const removed = remove?.delegation;
  if (added === undefined && removed === undefined) return { nameservers, attributes: before };
  if (behaviourOf(name).refusesNameservers)
    throw new EppRefusal(2306, `The registry rejects the nameservers of ${name}.`);
  const gone = [...(removed?.objects ?? []), ...(removed?.attributes ?? []).map((host) => host.name)];
  const kept = nameservers.filter((host) => !gone.includes(host));
  const after = [...new Set([...kept, ...(added?.nameservers ?? [])])];
  const attributes = added === undefined ? before : added.attributes && { ...before, ...added.attributes };
  return {
    nameservers: atMost(after, mostNameservers, "nameservers"),
    attributes: after.length > 0 ? attributes : undefined,
  };
}

function detailsAfter(
  { registry }: CommandContext,
  { details }: RegistryDomain,
  { add, remove, change }: Update,
): DomainDetails {
  const removed = existingContacts(registry, remove?.contacts);
  const added = existingContacts(registry, add?.contacts);
  const kept = details.contacts.filter(
    (contact) => ![...removed, ...added].some((other) => isSame(other, contact)),
  );
  const registrant = change?.registrant ?? details.registrant;
  if (change?.registrant) refuseAbsentContact(registry, change.registrant);
  return {
    ...details,
    contacts: atMost([...kept, ...added], 10, "contacts"),
    registrant: registrant === "" ? undefined : registrant,
    ...defined({ authInfo: change?.authInfo }),
  };
}

function isSame(one: DomainContact, other: DomainContact): boolean {
  return one.type === other.type && one.id === other.id;
}

/** Applies an update to DS records (RFC 5910 §5.2.5). @throws EppRefusal */
function dsDataAfter(
  command: ObjectCommand,
  before: readonly DelegationSigner[],
): readonly DelegationSigner[] {
  const update = extensionOf(command, secDns);
  if (update === undefined) return before;
  const { urgent, remove, add } = signerElements.update.read(update, refuse);
  if (urgent === "true") throw new EppRefusal(2102, "This registry does not support urgent updates.");
  const removed = digestsIn(remove);
  const isRemovingAll = ["true", "1"].includes(remove?.all ?? "");
  const kept = isRemovingAll ? [] : before.filter((signer) => !isIn(removed, signer));
  const fresh = digestsIn(add).filter((signer) => !isIn(kept, signer));
  return atMost([...kept, ...fresh], mostDsData, "digests");
}

function isIn(list: readonly DelegationSigner[], signer: DelegationSigner): boolean {
  return list.some((one) => signersText([one]) === signersText([signer]));
}

interface Restore {
  readonly command: ObjectCommand;
  readonly restore: XmlElement;
  readonly domain: RegistryDomain;
}

/** Restores a deleted domain. The subsequent report, required by real registries, is accepted and ignored. */
function restoreDomain(context: CommandContext, { command, restore, domain }: Restore): Answer {
  const { operation } = graceElements.update.read(restore, refuse).restore;
  if (operation === "report") return { code: 1000 };
  if (operation !== "request") throw new EppRefusal(2001, "<restore> must request or report.");
  const { deletedAtMs, ...details } = domain.details;
  if (deletedAtMs === undefined || !isRedeemable(deletedAtMs, context.atMs))
    throw new EppRefusal(2304, `${domain.name} is not in its redemption period.`);
  const fees = feeTaken(command, domain.name, { of: "restore", years: 1 });
  context.registry.putDomain({ ...domain, details });
  return { code: 1000, extension: [graceElements.upData.write({ statuses: ["pendingRestore"] }), ...fees] };
}
