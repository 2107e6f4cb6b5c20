import { defined } from "@hostledger/runtime";

import type { RegistryContact } from "../../sandbox/sandbox-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { contactElements } from "../contact-elements.ts";
import { roidOf } from "./answering.ts";
import { refuse, statusesAfter, type Answer, type CommandContext, type ObjectCommand } from "./command.ts";
import { EppRefusal } from "./result-codes.ts";

const settableStatuses = new Set([
  "clientDeleteProhibited",
  "clientTransferProhibited",
  "clientUpdateProhibited",
]);

/** Answers which contact ids are free (RFC 5733 §3.1.1). @throws EppRefusal */
export function checkContacts({ registry }: CommandContext, { object }: ObjectCommand): Answer {
  const { ids } = contactElements.check.read(object, refuse);
  const answers = ids.map((id) => ({ subject: { id, available: registry.contact(id) === undefined } }));
  return { code: 1000, resData: contactElements.chkData.write({ answers }) };
}

/** Creates a contact (RFC 5733 §3.2.1). @throws EppRefusal */
export function createContact(
  { registry, registrar, atMs }: CommandContext,
  { object }: ObjectCommand,
): Answer {
  const { authInfo, ...given } = contactElements.create.read(object, refuse);
  const { id } = given;
  if (registry.contact(id) !== undefined) throw new EppRefusal(2302, `The contact ${id} exists already.`);
  const createdAt = instantOf(atMs);
  const origin = { sponsor: registrar, creator: registrar, createdAt };
  registry.putContact({ ...given, ...origin, authInfo: authInfo ?? "", statuses: [] });
  return { code: 1000, resData: contactElements.creData.write({ id, createdAt }) };
}

/** Shows a contact to its registrar or with its authInfo (RFC 5733 §3.1.2). @throws EppRefusal 2201, 2202, 2303 */
export function showContact({ registry, registrar }: CommandContext, { object }: ObjectCommand): Answer {
  const { id, authInfo } = contactElements.info.read(object, refuse);
  const contact = registry.contact(id);
  if (contact === undefined) throw new EppRefusal(2303, `There is no contact ${id}.`);
  const isOwn = contact.sponsor === registrar;
  if (authInfo !== undefined && authInfo !== contact.authInfo)
    throw new EppRefusal(2202, `The authInfo of ${id} is wrong.`);
  if (!isOwn && authInfo === undefined)
    throw new EppRefusal(2201, `Another registrar has the contact ${id}.`);
  const shown = [...contact.statuses, ...(registry.isContactLinked(id) ? ["linked"] : [])];
  const statuses = shown.length === 0 ? ["ok"] : shown;
  const { authInfo: code, ...known } = contact;
  const content = { ...known, roid: roidOf("C", id), statuses, authInfo: isOwn ? code : undefined };
  return { code: 1000, resData: contactElements.infData.write(content) };
}

/** Changes a contact (RFC 5733 §3.2.4). @throws EppRefusal */
export function updateContact(context: CommandContext, { object }: ObjectCommand): Answer {
  const { id, add, remove, change } = contactElements.update.read(object, refuse);
  const contact = ownContact(context, id);
  if (add === undefined && remove === undefined && change === undefined)
    throw new EppRefusal(2003, "<update> lacks <add>, <rem> and <chg>.");
  const statuses = statusesAfter(contact.statuses, { add, remove }, settableStatuses);
  if (statuses.includes("clientUpdateProhibited") && contact.statuses.includes("clientUpdateProhibited"))
    throw new EppRefusal(2304, `${contact.id} has the status clientUpdateProhibited.`);
  const { postal = [], authInfo, ...changed } = change ?? {};
  const kept = contact.postal.filter(({ type }) => !postal.some((other) => other.type === type));
  context.registry.putContact({
    ...contact,
    ...defined(changed),
    ...(authInfo !== undefined && { authInfo: authInfo ?? "" }),
    postal: [...kept, ...postal],
    statuses,
    updater: context.registrar,
    updatedAt: instantOf(context.atMs),
  });
  return { code: 1000 };
}

/** Deletes a contact without domains (RFC 5733 §3.2.2). @throws EppRefusal 2304, 2305 */
export function deleteContact(context: CommandContext, { object }: ObjectCommand): Answer {
  const contact = ownContact(context, contactElements.delete.read(object, refuse).id);
  if (contact.statuses.includes("clientDeleteProhibited"))
    throw new EppRefusal(2304, `${contact.id} has the status clientDeleteProhibited.`);
  if (context.registry.isContactLinked(contact.id))
    throw new EppRefusal(2305, `A domain uses the contact ${contact.id}.`);
  context.registry.removeContact(contact.id);
  return { code: 1000 };
}

function ownContact({ registry, registrar }: CommandContext, id: string): RegistryContact {
  const contact = registry.contact(id);
  if (contact === undefined) throw new EppRefusal(2303, `There is no contact ${id}.`);
  if (contact.sponsor !== registrar) throw new EppRefusal(2201, `Another registrar has the contact ${id}.`);
  return contact;
}
